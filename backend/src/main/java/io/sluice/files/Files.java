package io.sluice.files;

import io.sluice.identity.numbers.Numbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The door to files. What an engine runs for somebody runs as whoever owns that person's home. It waits for disks, so not on an event loop. */
public final class Files {
    private final Homes homes;
    private final Outputs outputs;
    private final Path data;

    private Files(Path data, @Nullable Numbers numbers) {
        this.data = data.toAbsolutePath().normalize();
        this.homes = new Homes(this.data, numbers);
        this.outputs = new Outputs(this.data);
    }

    /** Each person's home belongs to a user id of their own where the gateway is root, who alone can give folders away. */
    public static Files open(Path data, Numbers numbers) {
        return Homes.mayGiveAway() ? new Files(data, numbers) : together(data);
    }

    /** All that people have belongs to the gateway's own user. */
    public static Files together(Path data) {
        return new Files(data, null);
    }

    /**
     * A person's own folder, which their tasks see as {@code /userhome}.
     *
     * @throws IllegalStateException when there is no user id left for a person
     */
    public Path home(long user, String name) throws IOException {
        return homes.of(user, name);
    }

    /** Of all people whom a home was made for. */
    public List<Path> homes() throws IOException {
        return homes.all();
    }

    /** What everybody reads, and their tasks see as {@code /gdata}. */
    public Path shared() throws IOException {
        return Homes.readable(data.resolve("gdata"));
    }

    /** What everybody writes, and their tasks see as {@code /data}; nobody takes away what is another's. */
    public Path common() throws IOException {
        return Homes.writable(data.resolve("data"));
    }

    /** A folder of a job's own, which its tasks see as {@code /output}: the same for all of them and all attempts. */
    public Path output(long user, String name, String job) throws IOException {
        return outputs.of(home(user, name), user, job);
    }

    /** Those of a person's jobs, by the job's name. */
    public Path outputs(long user) throws IOException {
        return outputs.of(user);
    }

    /** Of a job that has ended: an output with nothing in it goes. */
    public void tidyOutput(long user, String job) throws IOException {
        outputs.tidy(user, job);
    }

    /** Of a job that has ended. The answer is whether it had one; the disk has its room back by and by. */
    public boolean removeOutput(long user, String job) throws IOException {
        return outputs.remove(user, job);
    }

    /** Where what was removed lies, until it is cleared. */
    public Path removedOutputs() throws IOException {
        return outputs.left();
    }
}
