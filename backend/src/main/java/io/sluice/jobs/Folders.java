package io.sluice.jobs;

import io.sluice.jobs.gang.GangFolders;
import io.sluice.jobs.gang.Links;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/** Where a job's files lie in the data folder. */
public final class Folders {
    private static final int LONGEST_ROLE = 100;
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path data;

    public Folders(Path data) {
        this.data = data.toAbsolutePath().normalize();
    }

    /** What the tasks of a job are told of one another. */
    public GangFolders gangs() {
        return new GangFolders(data);
    }

    /** The addresses of NPUs, where an administrator has listed them here or the machine knows them. */
    public Links links() {
        return new Links(data, Path.of("/"));
    }

    /** What a task prints. */
    public Path output(long job, String log) {
        return data.resolve("jobs").resolve(Long.toString(job)).resolve(log);
    }

    /** Held by whoever moves the data of a job. */
    public Path transfer(long job) {
        return data.resolve("transfers").resolve(Long.toString(job));
    }

    /** Where what comes for a job is unpacked, by whoever moves its data. */
    public Path unpacking(long job) {
        return data.resolve("transfers").resolve(job + ".unpacking");
    }

    /** The name of a task attempt's output beneath its job's folder. Of a role's name every character may stand in the name of a file. */
    public static String log(String role, int index, int attempt, int taskAttempt) {
        String part = role.length() <= LONGEST_ROLE
                ? role
                : role.substring(0, LONGEST_ROLE) + "~" + Integer.toHexString(role.hashCode());
        return attempt + "/" + part + "-" + index + "-" + taskAttempt + ".log";
    }

    /** Which of the gateways that share a database this is: after a restart it need not wait for its own term to end. */
    String gateway() throws IOException {
        Path file = data.resolve("gateway");
        if (!Files.exists(file)) {
            // whole or not there: two that are called nothing would take one another's term for their own
            Path fresh = Files.writeString(
                    data.resolve("gateway.new"), UUID.randomUUID().toString());
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.readString(file);
    }

    public static Path made(Path folder) throws IOException {
        return Files.createDirectories(folder, OWNER_ONLY);
    }
}
