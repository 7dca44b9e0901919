package io.sluice;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** One line per event on standard error, in key=value form; a stack trace only where a fault is ours. */
final class Logging {
    private Logging() {}

    static void start() {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        var handler = new ConsoleHandler();
        handler.setFormatter(new Line());
        root.addHandler(handler);
        root.setLevel(Level.INFO);
        Logger.getLogger("io.netty").setLevel(Level.WARNING);
        // what strangers do that is no SSH is nothing to warn of; who comes and goes is in the audit
        Logger.getLogger("org.apache.sshd").setLevel(Level.SEVERE);
    }

    private static final class Line extends Formatter {
        @Override
        public String format(LogRecord event) {
            String name = event.getLoggerName();
            String line = event.getInstant() + " " + event.getLevel().getName() + " "
                    + (name == null ? "" : name.substring(name.lastIndexOf('.') + 1)) + " " + formatMessage(event);
            return event.getThrown() == null ? line + "\n" : line + "\n" + trace(event.getThrown());
        }

        private static String trace(Throwable thrown) {
            var trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            return trace.toString();
        }
    }
}
