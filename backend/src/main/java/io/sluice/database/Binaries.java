package io.sluice.database;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;

/** PostgreSQL's programs: brought along in the jar, unpacked once into the data folder. */
final class Binaries {

    private static final String FOLDER = "postgres-programs-";
    private static final Map<String, String> ARCHIVES = Map.of(
            "linux amd64", "/postgres-linux-x86_64.txz",
            "linux aarch64", "/postgres-linux-arm_64.txz",
            "mac aarch64", "/postgres-darwin-arm_64.txz");

    private Binaries() {}

    /** The folder with {@code bin}, {@code lib} and {@code share}. */
    static Path unpacked(Path data) throws IOException {
        var archive = archive(System.getProperty("os.name"), System.getProperty("os.arch"));
        var folder = data.resolve(FOLDER + fingerprint(archive));
        if (!Files.isDirectory(folder)) {
            unpack(archive, folder);
        }
        return folder;
    }

    /** Removes what earlier versions of Sluice unpacked, and what a start that was cut off left behind. */
    static void clearOthers(Path data, Path used) throws IOException {
        try (var folders = Files.newDirectoryStream(data, FOLDER + "*")) {
            for (var folder : folders) {
                if (!folder.equals(used)) {
                    DataFolder.delete(folder);
                }
            }
        }
    }

    static URL archive(String system, String machine) {
        var platform = (system.startsWith("Mac") ? "mac" : system.toLowerCase(Locale.ROOT)) + " "
                + (machine.equals("x86_64") ? "amd64" : machine);
        var name = ARCHIVES.get(platform);
        var archive = name == null ? null : Binaries.class.getResource(name);
        if (archive == null && name != null) {
            throw new Database.Unavailable(
                    "This jar was built without PostgreSQL for %s %s; build it on such a machine, or name a PostgreSQL with --db."
                            .formatted(system, machine));
        }
        if (archive == null) {
            throw new Database.Unavailable(
                    "Sluice brings PostgreSQL for Linux (x86-64, arm64) and macOS (arm64), not for %s %s; name a PostgreSQL with --db."
                            .formatted(system, machine));
        }
        return archive;
    }

    /** The checksum that the jar keeps anyway: reading 15 MB at every start to make a better one would be felt. */
    private static String fingerprint(URL archive) throws IOException {
        if (archive.openConnection() instanceof JarURLConnection jar) {
            var entry = jar.getJarEntry();
            return "%08x-%x".formatted(entry.getCrc(), entry.getSize());
        }
        throw new IOException("PostgreSQL's programs are not in a jar: " + archive);
    }

    private static void unpack(URL archive, Path folder) throws IOException {
        var fresh = folder.resolveSibling(folder.getFileName() + ".new");
        DataFolder.delete(fresh);
        try (var in = archive.openStream()) {
            Archive.unpack(in, fresh);
        }
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("this file system can not rename folders", e);
        }
    }
}
