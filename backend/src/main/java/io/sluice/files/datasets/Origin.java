package io.sluice.files.datasets;

import io.sluice.files.shares.Share;
import io.sluice.files.tree.Place;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a dataset lies: in what is shared, or in a store that speaks S3.
 *
 * @param path as tasks and people write it
 * @param share empty: it is in a store
 * @param place in the share
 */
public record Origin(String path, String share, Place place) {
    public static final List<String> KINDS = List.of("folder", "s3");
    private static final int LONGEST = 1_000;
    private static final Pattern STORE =
            Pattern.compile("s3://[A-Za-z0-9][A-Za-z0-9._-]{0,62}(/[^\\p{Cntrl}\\p{Cf}]*)?");
    private static final Pattern FOLDER =
            Pattern.compile("/(?:(gdata|data)|mnt/([a-z0-9][a-z0-9._-]{0,62}))(/[^\\p{Cntrl}\\p{Cf}]*)?");

    /** Nothing where it is neither. */
    public static Optional<Origin> of(String text) {
        String path = text.strip();
        if (path.getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            return Optional.empty();
        }
        if (STORE.matcher(path).matches()) {
            return Optional.of(new Origin(path, "", Place.ROOT));
        }
        Matcher folder = FOLDER.matcher(path);
        return folder.matches() ? folder(folder) : Optional.empty();
    }

    private static Optional<Origin> folder(Matcher folder) {
        String share = folder.group(1) == null ? folder.group(2) : folder.group(1);
        @Nullable String rest = folder.group(3);
        try {
            Place place = Place.of(Place.raw(rest == null ? "" : rest));
            String within =
                    place.names().stream().map(name -> "/" + Place.shown(name)).collect(Collectors.joining());
            String mount = new Share(share, "", List.of(), List.of(), false).mount();
            return Share.isName(share) ? Optional.of(new Origin(mount + within, share, place)) : Optional.empty();
        } catch (Place.Unspeakable unspeakable) { // . or .. or a name that no disk keeps
            return Optional.empty();
        }
    }

    public boolean isFolder() {
        return !share.isEmpty();
    }
}
