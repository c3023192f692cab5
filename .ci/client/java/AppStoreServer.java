import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A process of {@code sandbox-store serve}, or one that runs already: APP_STORE_CONTROL is its URL, APP_STORE_TOKEN its token. */
final class AppStoreServer implements AutoCloseable {
    /** Keeps the program from outliving this process: the pipe on its standard input ends with the process. */
    private static final String LEASH = "exec 3<&0; (cat <&3; kill $$) >/dev/null 2>&1 & exec \"$@\" 3<&- </dev/null";

    final String control, token;
    private final Process process;

    /** Starts the program that SANDBOX_STORE names, or the one on the PATH. */
    AppStoreServer() throws IOException {
        var environment = System.getenv();
        if (environment.containsKey("APP_STORE_CONTROL")) {
            control = environment.get("APP_STORE_CONTROL");
            token = environment.get("APP_STORE_TOKEN");
            process = null;
            return;
        }
        var program = environment.getOrDefault("SANDBOX_STORE", "sandbox-store");
        process = new ProcessBuilder("sh", "-c", LEASH, "sh", program, "serve", "--json", "--quiet")
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        if (line == null) throw new IOException(program + " has not started");
        var facts = Json.object(Json.parse(line));
        control = (String) facts.get("control");
        token = Files.readString(Path.of((String) facts.get("token"))).strip();
    }

    /** Makes a store; the options are those of {@code POST /control/v1/stores}, such as products and notificationURL. */
    AppStore store(Map<String, Object> options) {
        return new AppStore(this, Json.object(AppStore.send(control, token, "POST", "stores", options)));
    }

    /** Ends the process, if it is this object's. */
    @Override
    public void close() throws IOException, InterruptedException {
        if (process == null) return;
        process.getOutputStream().close();
        process.waitFor();
    }
}
