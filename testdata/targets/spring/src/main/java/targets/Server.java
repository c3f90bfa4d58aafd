package targets;

import io.github.arun0009.idempotent.core.annotation.Idempotent;
import io.github.arun0009.idempotent.core.aspect.IdempotentAspect;
import io.github.arun0009.idempotent.core.persistence.InMemoryIdempotentStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * A charges API whose idempotency is the aspect of idempotent-core with its
 * in-memory store. Its effects are lines in a file, so that they can be counted
 * from outside and outlive the process.
 *
 * <pre>PORT=8087 EFFECTS_FILE=effects.txt java -jar target/server.jar</pre>
 */
@SpringBootApplication
public class Server {
    public static void main(String[] args) {
        SpringApplication app = new SpringApplication(Server.class);
        app.setDefaultProperties(Map.of(
                "server.address", "127.0.0.1",
                "server.port", env("PORT", "8087"),
                "logging.level.root", "OFF",
                "spring.main.banner-mode", "off",
                "spring.main.lazy-initialization", "true",
                "idempotent.key.header", "Idempotency-Key"));
        app.run(args);
    }

    static String env(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    @Bean
    public IdempotentAspect idempotentAspect() {
        return new IdempotentAspect(new InMemoryIdempotentStore());
    }

    @RestController
    public static class Payments {
        private static final long AFTER_EFFECT_MS = Long.parseLong(env("AFTER_EFFECT_MS", "40"));

        private final FileChannel effects;
        private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();

        public Payments() throws IOException {
            effects = FileChannel.open(
                    Path.of(env("EFFECTS_FILE", "")), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }

        @GetMapping("/healthz")
        public String healthz() {
            return "ok";
        }

        @Idempotent(ttlInSeconds = 30)
        @PostMapping("/v1/charges")
        public ResponseEntity<Map<String, Object>> charge(
                @RequestBody Map<String, Object> body, @RequestHeader Map<String, String> headers) throws Exception {
            return made("ch_", "", body, headers);
        }

        @Idempotent(ttlInSeconds = 30)
        @PostMapping("/v1/refunds")
        public ResponseEntity<Map<String, Object>> refund(
                @RequestBody Map<String, Object> body, @RequestHeader Map<String, String> headers) throws Exception {
            return made("re_", "refund ", body, headers);
        }

        private ResponseEntity<Map<String, Object>> made(
                String prefix, String effect, Map<String, Object> body, Map<String, String> headers)
                throws Exception {
            if (!(body.get("order_id") instanceof String order) || order.lines().count() != 1) {
                return answer(400, Map.of("error", "order_id must be a text of one line"));
            }
            if (Integer.valueOf(0).equals(body.get("amount"))) {
                return answer(402, Map.of("error", "nothing to pay"));
            }
            if ("once".equals(headers.get("x-test-fail")) && failedOnce.add(order)) {
                throw new IllegalStateException("failed, as the test asked");
            }
            write(effect + order);
            Thread.sleep(Math.max(AFTER_EFFECT_MS, Long.parseLong(headers.getOrDefault("x-test-work-ms", "0"))));
            Map<String, Object> made = new LinkedHashMap<>();
            made.put("id", prefix + UUID.randomUUID());
            for (String name : new String[] {"order_id", "amount", "currency"}) {
                if (body.containsKey(name)) {
                    made.put(name, body.get(name));
                }
            }
            return answer(201, made);
        }

        private static ResponseEntity<Map<String, Object>> answer(int status, Map<String, Object> body) {
            return ResponseEntity.status(status).body(body);
        }

        /** The effect: one whole line, on disk before the answer. */
        private void write(String line) throws IOException {
            effects.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
            effects.force(true);
        }
    }
}
