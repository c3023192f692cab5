import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A store of one test, with App Store servers of its own, made by an {@link AppStoreServer}.
 *
 * <p>It needs nothing but Java 17, and may be copied with AppStoreServer.java and Json.java.
 */
final class AppStore implements AutoCloseable {
    /** A refusal: the HTTP status, its code, and a valid word that is similar to the wrong one, or null. */
    static final class Refusal extends RuntimeException {
        final int status;
        final String code, suggestion;

        Refusal(int status, Map<String, Object> error) {
            super((String) error.get("message"));
            this.status = status;
            code = (String) error.get("code");
            suggestion = (String) error.get("suggestion");
        }
    }

    private static final HttpClient client = HttpClient.newHttpClient();

    private final AppStoreServer server;
    /** What the server has said of the store: url, sandboxURL, bundleIdentifier, keyIdentifier, issuer, privateKey, root and more. */
    final Map<String, Object> description;

    AppStore(AppStoreServer server, Map<String, Object> description) {
        this.server = server;
        this.description = description;
    }

    /** Returns a text of the description. */
    String get(String name) {
        return (String) description.get(name);
    }

    /** Performs a command of the command line, such as {@code perform("ask-to-buy", Map.of("on", true))}. */
    Map<String, Object> perform(String command, Map<String, Object> words) {
        return Json.object(request("POST", "commands/" + command, words));
    }

    /** Performs a line of a scenario, such as {@code run("billing-fails on")}. */
    Map<String, Object> run(String line) {
        return Json.object(request("POST", "commands", Map.of("line", line)));
    }

    /** Buys a product, and returns the transaction. */
    Map<String, Object> buy(String product) {
        return Json.object(perform("buy", Map.of("product", product)).get("transaction"));
    }

    /** Refunds a purchase or a period, and returns the transaction. */
    Map<String, Object> refund(Object transaction) {
        return Json.object(perform("refund", Map.of("transaction", transaction)).get("transaction"));
    }

    /** Moves the store's clock, by a duration such as {@code 1y} or {@code 3d12h}, and returns what fell due. */
    List<Object> advance(String duration) {
        return Json.array(perform("advance", Map.of("duration", duration)).get("events"));
    }

    /** Returns a transaction as an app gets it: a JWS. */
    String signed(Object transaction) {
        return (String) Json.object(request("GET", "transactions/" + transaction, null)).get("jws");
    }

    /** Returns all rows of a list, such as {@code transactions} or {@code notifications}; queries are like {@code product=castle}. */
    List<Object> rows(String path, String... queries) {
        var rows = new ArrayList<Object>();
        var query = new ArrayList<>(Arrays.asList(queries));
        while (true) {
            var page = Json.object(request("GET", path + "?" + String.join("&", query), null));
            rows.addAll(Json.array(page.get("rows")));
            if (page.get("next") == null) return rows;
            query = new ArrayList<>(Arrays.asList(queries));
            query.add((path.equals("transactions") ? "before=" : "after=") + page.get("next"));
        }
    }

    /** Drops the store. */
    @Override
    public void close() {
        send(server.control, server.token, "DELETE", "stores/" + get("store"), null);
    }

    private Object request(String method, String path, Object body) {
        return send(get("control"), server.token, method, path, body);
    }

    /** Sends a request to the control interface at a URL, and returns the response's JSON. */
    static Object send(String control, String token, String method, String path, Object body) {
        var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(Json.text(body));
        var request = HttpRequest.newBuilder(URI.create(control + "/" + path)).method(method, publisher)
            .header("Authorization", "Bearer " + token).header("Content-Type", "application/json").timeout(Duration.ofMinutes(1)).build();
        try {
            var response = client.send(request, HttpResponse.BodyHandlers.ofString());
            var value = response.body().isEmpty() ? null : Json.parse(response.body());
            if (response.statusCode() < 300) return value;
            throw new Refusal(response.statusCode(), Json.object(Json.object(value).get("error")));
        } catch (IOException | InterruptedException error) {
            throw new IllegalStateException(method + " " + path + " has no answer", error);
        }
    }
}
