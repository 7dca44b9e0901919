package io.sluice;

import io.sluice.identity.Identity;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Flags, signals and the exit code. */
public final class Main {
    private static final int WRONG_SETTINGS = 2;
    private static final int NOT_STARTED = 1;

    private Main() {}

    public static void main(String[] arguments) {
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        var err = new PrintStream(new FileOutputStream(FileDescriptor.err), true);
        int code = run(arguments, System.getenv(), out, err);
        if (code != 0) {
            Runtime.getRuntime().halt(code);
        }
    }

    private static int run(String[] arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
        return switch (Settings.read(arguments, environment)) {
            case Settings.Help help -> {
                out.println(help.text());
                yield 0;
            }
            case Settings.Wrong wrong -> {
                wrong.faults().forEach(fault -> err.println("sluice: " + fault));
                yield WRONG_SETTINGS;
            }
            case Settings.Rehearse rehearse -> {
                Logging.start();
                yield new Rehearsal(out).run();
            }
            case Settings.Right right -> serve(right.settings(), out, err);
        };
    }

    private static int serve(Settings settings, PrintStream out, PrintStream err) {
        Logging.start();
        var server = new Server(settings, Identity.Hashing.DEFAULT, out);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            server.stop();
                            // a stop that was asked for is a good end; Java would report the signal
                            Runtime.getRuntime().halt(0);
                        },
                        "sluice-stop"));
        try {
            server.start();
            new CountDownLatch(1).await();
            return 0;
        } catch (Server.NotStarted e) {
            err.println("sluice: " + e.getMessage());
            server.stop();
            return NOT_STARTED;
        } catch (InterruptedException e) {
            return NOT_STARTED;
        }
    }
}
