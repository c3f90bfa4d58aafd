package testneed

import "testing"

func TestMariaDBGivesEachTestADatabaseOfItsOwn(t *testing.T) {
	first, second := MariaDB(t), MariaDB(t)
	if first == second {
		t.Fatalf("two tests share %s", first)
	}
	for _, address := range []string{first, second} {
		if err := executeMariaDB(address, "CREATE TABLE mine (x integer)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMariaDBDropsTheDatabase(t *testing.T) {
	var address string
	t.Run("uses it", func(t *testing.T) { address = MariaDB(t) })
	if address == "" {
		missing(t, "no MariaDB")
	}
	if err := executeMariaDB(address, "DO 1"); err == nil {
		t.Fatal("the database is still there")
	}
}
