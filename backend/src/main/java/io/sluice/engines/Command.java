package io.sluice.engines;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program for {@link Engine#exec}. It has the task's environment, and begins where the task began.
 *
 * @param words of its command line, which whoever looks at the machine may see; the first is looked for in the task's PATH
 * @param environment comes on top of the task's; may hold secrets
 * @param screen of the terminal that it is given; null: it gets pipes
 */
public record Command(
        List<String> words,
        Map<String, String> environment,
        @Nullable Screen screen) {

    /** In characters. */
    public record Screen(int columns, int rows) {
        private static final int MOST = 1_000;

        public Screen {
            if (columns < 1 || rows < 1 || columns > MOST || rows > MOST) {
                throw new IllegalArgumentException("no size of a screen: " + columns + "x" + rows);
            }
        }
    }

    public Command {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
        if (words.isEmpty() || words.stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("not a command");
        }
        if (environment.entrySet().stream()
                .anyMatch(variable -> !variable.getKey().matches("[A-Za-z_][A-Za-z0-9_]*")
                        || variable.getValue().indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("not a variable of a command");
        }
    }

    /** A script for the shell. */
    public static Command script(String script, Map<String, String> environment) {
        return new Command(List.of("bash", "-c", script), environment, null);
    }

    public static Command on(Screen screen, String... words) {
        return new Command(List.of(words), Map.of(), screen);
    }

    /** Without what may hold a secret. */
    @Override
    public String toString() {
        return "Command" + words;
    }
}
