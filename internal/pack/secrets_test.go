package pack

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/determ"
)

func TestWhatLooksLikeASecret(t *testing.T) {
	line, err := determ.TestSecret("k1").Line()
	if err != nil {
		t.Fatal(err)
	}
	aws := "AKIA" + "ABCDEFGHIJKLMNOP"
	for _, c := range []struct {
		text, secret string // what must not be shown; empty: it is none
	}{
		{`{"key": "` + line + `"}`, line}, {"# " + line, line}, {"run: [echo, " + line + "]", line},
		{`{"k": "sk_live_abcdefgh12345678"}`, "abcdefgh"}, {`{"k": "sk_test_abcdefgh12345678"}`, "abcdefgh"}, {"x: whsec_abcdefghijklmnopqrst", "abcdefgh"},
		{"x: ghp_abcdefghijklmnopqrstuvwx", "abcdefgh"}, {"x: " + aws, aws}, {"x: glpat-abcdefghijklmnopqrst", "abcdefgh"}, {"x: xoxb-1234567890-abcdef", "1234567890"},
		{"x: |\n  -----BEGIN RSA PRIVATE KEY-----\n  MIIE\n", "MIIE"}, {"url: postgres://u:hunter2@db/x", "hunter2"}, {"url: https://u:p%40ss@example.org", "p%40ss"},
		{"jwt: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz", "eyJhbG"},
		{`{"password": "hunter2"}`, "hunter2"}, {`{"db": {"PGPASSWORD": "hunter2"}}`, "hunter2"}, {`{"api_key": 123456}`, "123456"}, {`{"Api-Key": "hunter2"}`, "hunter2"},
		{`headers: {authorization: "Bearer hunter2"}`, "hunter2"}, {`headers: {Cookie: ["a=hunter2"]}`, "hunter2"}, {"card: {cvc: \"123\"}", "123"}, {"client_secret: hunter2", "hunter2"},
		{`{"password": "hunt<er2"}`, "hunt<er2"}, {`{"password": "hunt${er2"}`, "hunt${er2"}, {"url: postgres://u:hunt<er2@db/x", "hunt<er2"},
		{"url: postgres://u:<password>@db/x", ""}, {`{"password": "<your password>"}`, ""},
		{"", ""}, {"not: [a, document", ""}, {`{"password": ""}`, ""}, {`{"password": "${DB_PASSWORD}"}`, ""}, {`{"password": "an-example"}`, ""}, {`{"password": null}`, ""},
		{"auth: {header: Authorization, env: API_TOKEN, prefix: \"Bearer \"}", ""}, {"identity: {password_reset: /password, secret: /secret}", ""},
		{"sensitive: [/password]", ""}, {"key: {kid: k1, env: IDEM_KEY}", ""}, {`{"email": "customer@example.com"}`, ""}, {"url: postgres://user:${PW}@db/x", ""},
		{"url: http://127.0.0.1:8080/a@b", ""}, {`{"order": "idem-8738bbf5cf5b84dd04b2", "token": "tok_visa"}`, ""}, {"id: chg_1_2xdw1f0kx1t54vwwfcfy5j19dtyy6mx7", ""},
		{"note: the key sk_live_ begins a credential of production", ""}, {`{"shopping": "spinning"}`, ""}, {"Authorization: Bearer <token>", ""},
	} {
		err := CheckSecrets("x.yaml", []byte(c.text))
		if (err != nil) != (c.secret != "") {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if err != nil && (strings.Contains(err.Error(), c.secret) || !strings.HasPrefix(err.Error(), "x.yaml:")) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// TestWhatIsGivenToAName: in commands, headers, addresses, comments and members,
// where a value is no word, and what only stands for one is none.
func TestWhatIsGivenToAName(t *testing.T) {
	for _, text := range []string{
		`headers: {X-Forwarded-Authz: "Bearer 8f3ab2c9d1e4f5a6b7c8"}`, `headers: {X-Auth: "Basic YWRtaW46aHVudGVyMg=="}`, `headers: {X-Vault-Token: 8f3ab2c9d1e4}`, `headers: {Private-Token: "8f3ab2c9d1e4"}`,
		"x: hvs.CAESIJ8f3ab2c9d1e4f5a6b7c8d9e0", "x: sk-proj-abcdEFGHijklmnopqrst", "x: sk-ant-api03-abcdEFGHijklmnop",
		`path: "/v1/a?access_token=8f3ab2c9d1e4f5a6"`, `path: "/v1/a?x=1&api_key=abcdef123456"`, "path: /v1/a?sig=8f3ab2c9d1e4f5a6", "# staging password: hunter2-real", "a: b # DB_PASSWORD=hunter2-real",
		`run: [curl, -H, "Authorization: Bearer 8f3ab2c9d1e4f5a6b7c8", x]`, `run: [curl, -u, "admin:hunter", x]`, "run: [curl, '-uadmin:hunter', x]", "run:\n- curl\n- --user\n- admin:hunter\n", `run: [http, --user=admin:hunter2]`,
		`run: [psql, "host=db password=hunter2real dbname=x"]`, `run: [psql, "postgres://app:hun:ter2@db/x"]`, `run: [psql, "postgres://app:hun/ter2@db/x"]`, `run: [psql, "postgres://app:h@nter@db/x"]`,
		`run: [sh, -c, "PGPASSWORD=hunter2real psql"]`, `run: [mysql, "--password=hunter2real"]`, "run: [mysql, --password, hunter2real]", "run:\n- mysql\n- --password\n- hunter2real\n", "run: [x, --api-key abc12345]",
		"env: {DB_PASS: hunter2real}", "env: {API_TOKEN: 8f3ab2c9d1e4}", `env: {DSN: "app:hunter2real@tcp(db:3306)/x"}`, `{"dbPass": "hunter2"}`, `{"accessToken": "abc12345x"}`, "aws_secret_access_key: wJalrXUtnFEMIK7MDENGbPxRfiCYzzzz",
		`{"x": "p\u0061ssword=hunter2real"}`, `{"x": "{\"token\": \"8f3ab2c9d1e4\"}"}`, "postgres://example:hunter2@db/x", `url: "https://a:hunter2real@db.internal/?e=example@x"`,
	} {
		if err := CheckSecrets("x.yaml", []byte(text)); err == nil {
			t.Errorf("carried: %s", text)
		} else if strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "8f3ab2") {
			t.Errorf("shown: %v", err)
		}
	}
	for _, text := range []string{
		"# Basic authentication, and a bearer authorization-token too", `run: [curl, -H, "Authorization: Bearer ${API_TOKEN}", x]`, `run: [curl, -u, "${USER}:${PASS}", x]`, "run: [docker, run, --user, \"1000:1000\", x]",
		"run: [x, --token, ${API_TOKEN}]", "run: [sh, -c, \"PGPASSWORD=$PGPASSWORD psql\"]", "run: [sh, -c, \"TOKEN=$(cat token1.txt)\"]", "run: [x, --token-file, secrets1.txt]", "run: [x, --token, --verbose1]",
		"env: {API_TOKEN: any-token}", "token: tok_visa", "# the password: whatever is there", "path: /v1/a?token={fresh:/token}", "path: /v1/a?page=token1234", "x: {bypass: nothing12345, keyboard: qwertz123456}",
		"base_urls: [\"http://127.0.0.1:8080/a@b\", \"http://localhost:80,x@y\"]", "# API_TOKEN: see API_TOKEN_2", `{"token": ""}`, `{"token": null}`, `{"token": "«the token of 2026»"}`, "password: ${DB_PASSWORD2}",
		"Idempotency-Key: 8e03978e-40d5-43dd-bc93-6894a57f9324", "key: {header: Idempotency-Key, recipe: recipe-v2.yaml}", "secret: /customer/secret1234",
	} {
		if err := CheckSecrets("x.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestTheSampleHasNoSecret: nor has any other file of the pack.
func TestTheSampleHasNoSecret(t *testing.T) {
	files, err := Files(sampleFilling(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		line := 0
		for text := range strings.Lines(string(f.Content)) {
			if line++; secretIn(text) != "" {
				t.Errorf("%s:%d: %s", f.Name, line, secretIn(text))
			}
		}
	}
}
