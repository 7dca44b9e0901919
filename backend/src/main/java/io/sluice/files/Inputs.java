package io.sluice.files;

import io.sluice.files.quota.Tally;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What is fetched for people's jobs: a folder for each, of the user's own, for as long as the job runs. */
final class Inputs {
    private static final String NUMBER = "\\d{1,18}";
    private static final String PLACE = "place";

    private final Path all;
    private final Outputs outputs;

    /** @param outputs beside which lies what was taken away */
    Inputs(Path data, Outputs outputs) {
        this.all = data.resolve("inputs");
        this.outputs = outputs;
    }

    /** @param home whose owner gets it */
    Path of(Path home, long user, long job) throws IOException {
        Homes.closed(all);
        return Homes.closed(Homes.readable(all.resolve(Long.toString(user))).resolve(Long.toString(job)), home);
    }

    boolean remove(long user, long job) throws IOException {
        Path folder = all.resolve(Long.toString(user)).resolve(Long.toString(job));
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && outputs.away(folder);
    }

    /** Which folder this is: gateways that have the same one read the same. */
    String place() throws IOException {
        Path file = Homes.closed(all).resolve(PLACE);
        if (!Files.exists(file)) {
            String fresh = UUID.randomUUID().toString();
            Path whole = all.resolve(PLACE + "." + fresh);
            try {
                Files.createLink(file, Files.writeString(whole, fresh));
            } catch (FileAlreadyExistsException another) {
                return Files.readString(file);
            } finally {
                Files.deleteIfExists(whole); // also where the disk is full
            }
        }
        return Files.readString(file);
    }

    /** By job, whose it is. */
    Map<Long, Long> all() throws IOException {
        Map<Long, Long> found = new HashMap<>();
        for (Path user : numbered(all)) {
            for (Path job : numbered(user)) {
                found.put(number(job), number(user));
            }
        }
        return found;
    }

    private static long number(Path folder) {
        return Long.parseLong(String.valueOf(folder.getFileName()));
    }

    private static List<Path> numbered(Path folder) throws IOException {
        try (var names = Files.list(folder)) {
            return names.filter(name -> String.valueOf(name.getFileName()).matches(NUMBER))
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    /** Without making one where there is none. */
    Tally tally(long user) throws IOException {
        return Tally.of(all.resolve(Long.toString(user)));
    }
}
