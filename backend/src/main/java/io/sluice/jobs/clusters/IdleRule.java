package io.sluice.jobs.clusters;

import io.sluice.web.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When a job that does nothing is told so, and what becomes of it. All of its devices have to do nothing, for the whole time.
 *
 * @param minutes for which they have to
 * @param utilisation in per cent; whoever does less on average does nothing
 * @param memory in per cent of a device's; whoever has more of it in use is not idle. Null: whatever is in use
 * @param quiet whether it counts only while the job prints nothing
 * @param unused whether it counts only while nobody is at its endpoints, terminals and SSH
 * @param patience minutes from the warning until something is done
 * @param keepHours for which one click lets the job be
 * @param mail whether its owner is written to
 * @param webhook address that is told, null: none
 */
public record IdleRule(
        int minutes,
        int utilisation,
        @Nullable Integer memory,
        boolean quiet,
        boolean unused,
        Then then,
        int patience,
        int keepHours,
        boolean mail,
        @Nullable String webhook) {
    public static final int LEAST_MINUTES = 5;
    public static final int MOST_MINUTES = 10_080;
    public static final int MOST_KEEP_HOURS = 720;
    public static final int LONGEST_WEBHOOK = 2_000;

    /** What is done with a job that nobody wants to keep. */
    public enum Then {
        WARN,
        STOP,
        REQUEUE
    }

    /** What an administrator begins with. */
    public static final IdleRule USUAL = new IdleRule(30, 5, null, true, true, Then.WARN, 30, 4, true, null);

    /** Fails with what is allowed. */
    IdleRule checked() {
        between("minutes", minutes, LEAST_MINUTES, MOST_MINUTES);
        between("utilisation", utilisation, 1, 100);
        if (memory != null) {
            between("memory", memory, 1, 100);
        }
        between("patience", patience, 1, MOST_MINUTES);
        between("keepHours", keepHours, 1, MOST_KEEP_HOURS);
        if (webhook != null && !isAddress(webhook)) {
            throw Problem.invalid("idle.webhook is an address like https://chat.example.org/hooks/1, without a name or"
                    + " password in it, of at most " + LONGEST_WEBHOOK + " characters.");
        }
        return this;
    }

    private static void between(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw Problem.invalid(
                    "idle." + what + " is a number from " + least + " to " + most + ", not " + value + ".");
        }
    }

    /** Whether it looks like one; where it leads is seen when it is gone to. */
    public static boolean isAddress(String text) {
        try {
            URI address = new URI(text);
            return text.length() <= LONGEST_WEBHOOK
                    && Set.of("http", "https").contains(String.valueOf(address.getScheme()))
                    && address.getHost() != null
                    && address.getUserInfo() == null
                    && address.getPort() <= 65_535;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
