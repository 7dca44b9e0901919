package io.sluice.files.datasets;

import io.sluice.files.catalogue.Entry;
import io.sluice.files.catalogue.Standing;
import io.sluice.files.catalogue.Wrong;
import io.sluice.identity.grants.Grants;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the catalogue.
 *
 * @param bytes null: not known
 * @param files null: nobody has counted
 * @param counted when it was; null: the size is what somebody told, or is not known
 * @param fault why it could not be counted, a key of the texts; empty: it could, or nobody tried
 */
public record Dataset(
        long id,
        Content content,
        Standing standing,
        @Nullable Long bytes,
        @Nullable Long files,
        @Nullable Instant counted,
        String fault)
        implements Entry<Dataset.Content> {
    public static final int LONGEST_NAME = 100;
    public static final int LONGEST_DESCRIPTION = 4_000;
    private static final int MOST_READERS = 50;
    private static final int LONGEST_INPUT = 31;

    /**
     * What people say of it.
     *
     * @param readers groups that see it
     * @param told its size where nobody here can count it; null: not known
     */
    public record Content(
            String name,
            String description,
            String path,
            List<String> readers,
            @Nullable Long told) {
        public static final Content EMPTY = new Content("", "", "", List.of(Grants.EVERYBODY), null);

        public Content {
            readers = List.copyOf(readers);
        }

        /** With its path as it is kept. */
        Content kept() {
            return new Content(name, description, origin().path(), readers, origin().isFolder() ? null : told);
        }

        public Origin origin() {
            return Origin.of(path).orElseThrow();
        }

        List<Wrong> wrong() {
            List<Wrong> all = new ArrayList<>();
            if (name.isBlank() || name.length() > LONGEST_NAME) {
                all.add(new Wrong(
                        "name",
                        "catalogue.fault.name",
                        "name: 1 to " + LONGEST_NAME + " characters, such as CIFAR-10."));
            }
            if (description.length() > LONGEST_DESCRIPTION) {
                all.add(new Wrong(
                        "description",
                        "catalogue.fault.description",
                        "description: at most " + LONGEST_DESCRIPTION + " characters."));
            }
            if (Origin.of(path).isEmpty()) {
                all.add(new Wrong(
                        "path",
                        "datasets.fault.path",
                        "path: a folder in what is shared, as /gdata/cifar10, /data/x or /mnt/SHARE/x without . and .. in it,"
                                + " or s3://BUCKET/PREFIX/."));
            }
            if (readers.isEmpty() || readers.size() > MOST_READERS) {
                all.add(new Wrong(
                        "readers",
                        "datasets.fault.readers",
                        "readers: 1 to " + MOST_READERS + " names of groups; default is everybody."));
            }
            if (told != null && told < 0) {
                all.add(new Wrong("bytes", "datasets.fault.bytes", "bytes: a whole number from 0."));
            }
            return all;
        }
    }

    @Override
    public String name() {
        return content.name();
    }

    public Origin origin() {
        return content.origin();
    }

    /** What a job calls it that has it fetched. */
    public String input() {
        String plain = name().toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "_")
                .replaceAll("^[0-9_]+", "")
                .replaceAll("_+$", "");
        return plain.isEmpty() ? "data" : plain.substring(0, Math.min(LONGEST_INPUT, plain.length()));
    }

    /** Where a shell in a task finds it. */
    public String inTask() {
        return origin().isFolder() ? origin().path() : "$SLUICE_INPUT_" + input().toUpperCase(Locale.ROOT);
    }
}
