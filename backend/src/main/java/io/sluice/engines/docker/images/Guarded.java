package io.sluice.engines.docker.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The repositories whose images took a password: what is on the machine of them is only for who has one too. By repository and not by the
 * bytes: the same image may be open to all under another name, and stays so. One that is being fetched with a password is in doubt: it
 * counts as well, whatever becomes of the gateway, until all who try have failed.
 */
final class Guarded {

    private final Path file;
    private final TreeSet<String> repositories = new TreeSet<>();
    private final Map<String, Doubt> doubts = new HashMap<>();

    /** How many try, and what the engine had before the first did: that is open to all, as it was. */
    private record Doubt(int tries, Set<String> before) {}

    Guarded(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            repositories.addAll(Files.readAllLines(file));
        }
    }

    /** @param image by its id; null = not here */
    synchronized boolean has(String repository, @Nullable String image) {
        var doubt = doubts.get(repository);
        return doubt == null
                ? repositories.contains(repository)
                : image == null || !doubt.before().contains(image);
    }

    synchronized boolean isSure(String repository) {
        return repositories.contains(repository) && !doubts.containsKey(repository);
    }

    /**
     * Somebody tries with a password.
     *
     * @param here the ids of all images that there are
     * @return false where it is guarded whatever comes of that; else one who tried, and has failed, says so
     */
    synchronized boolean doubt(String repository, Set<String> here) throws IOException {
        if (isSure(repository)) {
            return false;
        }
        doubts.merge(
                repository, new Doubt(1, Set.copyOf(here)), (old, one) -> new Doubt(old.tries() + 1, old.before()));
        if (repositories.add(repository)) {
            keep();
        }
        return true;
    }

    /** A password was taken. */
    synchronized void sure(String repository) throws IOException {
        doubts.remove(repository);
        if (repositories.add(repository)) {
            keep();
        }
    }

    /** One who tried has failed. */
    synchronized void failed(String repository) throws IOException {
        var doubt = doubts.get(repository);
        if (doubt != null && doubt.tries() > 1) {
            doubts.put(repository, new Doubt(doubt.tries() - 1, doubt.before()));
        } else if (doubt != null) {
            open(repository); // nothing came that is to be guarded
        }
    }

    /** Its registry gives it to everybody. */
    synchronized void open(String repository) throws IOException {
        doubts.remove(repository);
        if (repositories.remove(repository)) {
            keep();
        }
    }

    private void keep() throws IOException {
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.write(draft, repositories);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
