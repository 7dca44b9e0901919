package io.sluice.files.tree;

import io.sluice.files.tree.Refused.Why;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.HashMap;
import java.util.Map;

/**
 * What a system's failure means here. Java hands on the system's words for it and not its number, and those words are of the language that
 * the gateway was started in: so the same system is asked for them.
 */
final class Reasons {
    private static final Map<Integer, Why> NUMBERS = Map.of(
            28, Why.FULL, // ENOSPC
            122, Why.FULL, // EDQUOT
            39, Why.NOT_EMPTY,
            21, Why.EXISTS, // EISDIR
            20, Why.NOT_A_FOLDER,
            17, Why.EXISTS,
            22, Why.NOT_ALLOWED); // EINVAL

    private static final Map<Class<? extends FileSystemException>, Why> KINDS = Map.of(
            NoSuchFileException.class, Why.MISSING,
            FileAlreadyExistsException.class, Why.EXISTS,
            DirectoryNotEmptyException.class, Why.NOT_EMPTY,
            AccessDeniedException.class, Why.NOT_ALLOWED,
            NotDirectoryException.class, Why.NOT_A_FOLDER);

    private static final Map<String, Why> MEANT = meant();

    private Reasons() {}

    private static Map<String, Why> meant() {
        Map<String, Why> meant = new HashMap<>();
        NUMBERS.forEach((number, why) -> meant.put(Kernel.said(number), why));
        return Map.copyOf(meant);
    }

    static Why of(FileSystemException failure) {
        return KINDS.entrySet().stream()
                .filter(kind -> kind.getKey().isInstance(failure))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseGet(() -> of(String.valueOf(failure.getReason())));
    }

    static Why of(String reason) {
        return MEANT.getOrDefault(reason, Why.NOT_ALLOWED);
    }
}
