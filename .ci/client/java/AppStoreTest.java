import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server's tests, each with an App Store of its own, four at a time: {@code javac -d classes *.java}, then
 * {@code java -cp classes AppStoreTest}. Without a framework; with JUnit, each is a method, and the store its field.
 */
final class AppStoreTest {
    static final List<Map<String, Object>> products = List.of(
        Map.of("id", "castle", "kind", "nonConsumable", "price", "9.99"),
        Map.of("id", "pro.monthly", "kind", "autoRenewable", "price", "4.99", "group", "pro", "period", "P1M"));

    interface Body {
        void run(AppStore store, Backend backend) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        var tests = new LinkedHashMap<String, Body>();
        tests.put("a purchase that the App Store has signed", AppStoreTest::purchase);
        tests.put("why a purchase is refused", AppStoreTest::refusal);
        tests.put("the notification of a purchase", AppStoreTest::notification);
        tests.put("a year in a call", AppStoreTest::year);
        tests.put("the notification of a refund", AppStoreTest::refund);
        tests.put("whether a receipt is valid", AppStoreTest::receipt);
        for (var count = 1; count <= 8; count++) {
            var months = count;
            tests.put("a store of its own for " + months + " months", (store, backend) -> {
                store.buy("pro.monthly");
                store.advance(months + "mo");
                equal(store.rows("transactions").size(), 1 + months);
            });
        }
        var failures = 0;
        var executor = Executors.newFixedThreadPool(4);
        try (var server = new AppStoreServer()) {
            var results = new LinkedHashMap<String, Future<?>>();
            tests.forEach((name, body) -> results.put(name, executor.submit(() -> {
                try (var backend = new Backend(); var store = server.store(Map.of("products", products, "notificationURL", backend.url))) {
                    body.run(store, backend);
                }
                return null;
            })));
            for (var result : results.entrySet()) {
                try {
                    result.getValue().get();
                    System.out.println("ok " + result.getKey());
                } catch (java.util.concurrent.ExecutionException error) {
                    failures++;
                    System.out.println("FAILED " + result.getKey());
                    error.getCause().printStackTrace(System.out);
                }
            }
        } finally {
            executor.shutdown();
        }
        System.out.println((tests.size() - failures) + " passed, " + failures + " failed");
        System.exit(failures == 0 ? 0 : 1);
    }

    static void purchase(AppStore store, Backend backend) throws Exception {
        var castle = store.buy("castle");
        equal(castle.get("state"), "purchased");
        var jws = store.signed(castle.get("transaction"));
        equal(verified(jws, store.get("root")).get("productId"), "castle");
        try {
            verified(jws.substring(0, jws.length() - 4) + "AAAA", store.get("root"));
        } catch (java.security.SignatureException expected) {
            return;
        }
        throw new AssertionError("a forged transaction is accepted");
    }

    static void refusal(AppStore store, Backend backend) {
        try {
            store.buy("castel");
        } catch (AppStore.Refusal refusal) {
            equal(List.of(refusal.status, refusal.suggestion), List.of(422, "castle"));
            return;
        }
        throw new AssertionError("a product that does not exist is sold");
    }

    static void notification(AppStore store, Backend backend) throws Exception {
        store.buy("pro.monthly");
        var notification = verified(backend.next(), store.get("root"));
        equal(List.of(notification.get("notificationType"), notification.get("subtype")), List.of("SUBSCRIBED", "INITIAL_BUY"));
    }

    static void year(AppStore store, Backend backend) throws Exception {
        store.buy("pro.monthly");
        store.advance("1y");
        equal(store.rows("transactions", "product=pro.monthly").size(), 13);
        var expected = new ArrayList<Object>(Collections.nCopies(12, "DID_RENEW"));
        expected.add(0, "SUBSCRIBED");
        var types = new ArrayList<>();
        while (types.size() < 13) types.add(decoded(backend.next(), 1).get("notificationType"));
        equal(types, expected);
    }

    static void refund(AppStore store, Backend backend) throws Exception {
        var castle = store.buy("castle");
        equal(String.valueOf(store.refund(castle.get("transaction")).get("refund")), "9.99");
        equal(decoded(backend.next(), 1).get("notificationType"), "ONE_TIME_CHARGE");
        var notification = decoded(backend.next(), 1);
        equal(notification.get("notificationType"), "REFUND");
        var transaction = decoded((String) Json.object(notification.get("data")).get("signedTransactionInfo"), 1);
        equal(transaction.containsKey("revocationDate"), true);
    }

    static void receipt(AppStore store, Backend backend) throws Exception {
        store.buy("castle");
        var receipt = store.perform("receipt", Map.of()).get("receipt");
        var request = HttpRequest.newBuilder(URI.create(store.get("sandboxURL") + "/verifyReceipt"))
            .POST(HttpRequest.BodyPublishers.ofString(Json.text(Map.of("receipt-data", receipt)))).build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        equal(String.valueOf(Json.object(Json.parse(response.body())).get("status")), "0");
    }

    /** Returns what is in a JWS whose certificates end at a root. */
    static Map<String, Object> verified(String jws, String root) throws Exception {
        var factory = CertificateFactory.getInstance("X.509");
        var chain = new ArrayList<X509Certificate>();
        for (var certificate : Json.array(decoded(jws, 0).get("x5c")))
            chain.add((X509Certificate) factory.generateCertificate(
                new ByteArrayInputStream(Base64.getDecoder().decode((String) certificate))));
        // The root that is trusted, in place of the one that is sent.
        chain.set(chain.size() - 1, (X509Certificate) factory.generateCertificate(
            new ByteArrayInputStream(root.getBytes(StandardCharsets.UTF_8))));
        for (var index = 0; index + 1 < chain.size(); index++) chain.get(index).verify(chain.get(index + 1).getPublicKey());
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initVerify(chain.get(0));
        signature.update(jws.substring(0, jws.lastIndexOf('.')).getBytes(StandardCharsets.US_ASCII));
        if (!signature.verify(Base64.getUrlDecoder().decode(jws.substring(jws.lastIndexOf('.') + 1))))
            throw new java.security.SignatureException("the signature is wrong");
        return decoded(jws, 1);
    }

    /** Returns what is in a part of a JWS, unverified. */
    static Map<String, Object> decoded(String jws, int part) {
        return Json.object(Json.parse(new String(Base64.getUrlDecoder().decode(jws.split("\\.")[part]), StandardCharsets.UTF_8)));
    }

    static void equal(Object found, Object expected) {
        if (!found.equals(expected)) throw new AssertionError("found " + found + " in place of " + expected);
    }

    /** Takes the place of the server that is tested: it keeps the notifications that the App Store posts. */
    static final class Backend implements AutoCloseable {
        private final BlockingQueue<String> payloads = new LinkedBlockingQueue<>();
        private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        final String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/notifications";

        Backend() throws IOException {
            server.createContext("/notifications", exchange -> {
                var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                payloads.add((String) Json.object(Json.parse(body)).get("signedPayload"));
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
        }

        /** Waits for a notification, and returns its signed payload. */
        String next() throws InterruptedException {
            var payload = payloads.poll(1, TimeUnit.MINUTES);
            if (payload == null) throw new AssertionError("no notification has arrived");
            return payload;
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
