package io.sluice.engines.docker.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.TreeSet;

/**
 * The repositories whose images took a password: what is on the machine of them is only for who has one too. By repository and not by the
 * bytes: the same image may be open to all under another name, and stays so.
 */
final class Guarded {

    private final Path file;
    private final TreeSet<String> repositories = new TreeSet<>();

    Guarded(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            repositories.addAll(Files.readAllLines(file));
        }
    }

    synchronized boolean has(String repository) {
        return repositories.contains(repository);
    }

    /** Whether it was not before. */
    synchronized boolean add(String repository) throws IOException {
        boolean news = repositories.add(repository);
        if (news) {
            keep();
        }
        return news;
    }

    synchronized void remove(String repository) throws IOException {
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
