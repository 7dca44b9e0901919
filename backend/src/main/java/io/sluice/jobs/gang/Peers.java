package io.sluice.jobs.gang;

import io.sluice.jobs.Json;
import io.sluice.jobs.protocol.plugins.UserKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How the tasks of an attempt reach one another by SSH. It lies in the folder that they share, and nobody else sees: their key, what OpenSSH's
 * client is told, and the socket at which the gateway answers. The key is there as long as the attempt.
 *
 * @param number of the job
 * @param tasks by the name that the others call them
 */
public record Peers(long number, int attempt, String user, String job, Map<String, Peer> tasks) {
    static final String FOLDER = "ssh";
    static final String PROGRAMS = "bin";
    private static final String LIST = "tasks.json";
    private static final String KEY = "key";

    public record Peer(String role, int index) {}

    public Peers {
        tasks = Map.copyOf(tasks);
    }

    static Peers of(Gang gang) {
        Map<String, Peer> tasks = new LinkedHashMap<>();
        gang.members().forEach(one -> tasks.put(gang.hostName(one), new Peer(one.role(), one.index())));
        return new Peers(gang.number(), gang.attempt(), gang.user(), gang.spec().name(), tasks);
    }

    /** A job of one task has no other to reach. */
    static boolean areIn(Gang gang) {
        return gang.members().size() > 1;
    }

    /** @param attempt the folder of an attempt, as {@link GangFolders#all} lists them; empty where its tasks have nobody to reach, or are no more */
    public static Optional<Peers> read(Path attempt) throws IOException {
        try {
            return Optional.of(
                    Json.read(Files.readString(attempt.resolve(FOLDER).resolve(LIST)), Peers.class));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** By which its tasks show who they are; empty once the attempt is over. */
    public static Optional<String> fingerprint(Path attempt) throws IOException {
        try {
            return Optional.of(UserKeys.fingerprint(
                    Files.readString(attempt.resolve(FOLDER).resolve(KEY + ".pub"))));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** Where the gateway answers them. */
    public static Path door(Path attempt) {
        return attempt.resolve(FOLDER).resolve("door");
    }

    void write(Path attempt) throws IOException {
        Path folder = GangFolders.toEnter(attempt.resolve(FOLDER));
        if (!Files.exists(folder.resolve(KEY))) {
            var key = JobKey.fresh("sluice job " + number + " attempt " + this.attempt);
            GangFolders.put(folder, KEY + ".pub", key.open());
            GangFolders.put(folder, KEY, key.secret());
        }
        GangFolders.put(folder, "config", GangFolders.script("ssh-config").replace("@tasks@", patterns()));
        GangFolders.put(folder, "dial", GangFolders.script("ssh-dial"));
        Path programs = GangFolders.toEnter(attempt.resolve(PROGRAMS));
        for (String name : new String[] {"ssh", "scp", "sftp"}) {
            GangFolders.putProgram(programs, name, GangFolders.script("ssh-program"));
        }
        GangFolders.put(folder, LIST, Json.write(this));
    }

    /** One for each length of a number: old clients read lines of no more than 4,096 characters. */
    private String patterns() {
        return tasks.keySet().stream()
                .map(name -> name.substring(0, name.lastIndexOf('-') + 1)
                        + "?".repeat(name.length() - 1 - name.lastIndexOf('-')))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
