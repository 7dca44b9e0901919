package io.sluice.telemetry.notices;

import io.sluice.web.addresses.Networks;
import io.vertx.core.Future;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the roof knows of the world outside.
 *
 * @param settings how to get there
 * @param reader of whom somebody's name is; empty: there is none who could be written to
 * @param words of a language
 * @param address by which browsers come here
 */
public record Outside(
        Settings settings, Function<String, Future<Optional<Reader>>> reader, Words words, Supplier<String> address) {

    /**
     * @param smtp the mail server, null: no mail is sent
     * @param password for it, null: none
     * @param from whom mail is
     * @param networks to which webhooks may lead
     */
    public record Settings(@Nullable URI smtp, @Nullable String password, String from, Networks networks) {
        public static final Settings NONE = new Settings(null, null, "sluice@localhost", Networks.PUBLIC);

        /** Without the password. */
        @Override
        public String toString() {
            return "Settings[from=" + from + ", networks=" + networks + "]";
        }
    }

    /** Whether mail can be sent to it, or from it. */
    public static boolean isAddress(String text) {
        return Smtp.isAddress(text);
    }

    /** @param languages in which somebody reads, one after the other */
    public record Reader(String address, List<String> languages) {
        public Reader {
            languages = List.copyOf(languages);
        }
    }

    /** A text of {@code webapp/texts}. */
    @FunctionalInterface
    public interface Words {
        String of(String language, String key, Object... values);
    }
}
