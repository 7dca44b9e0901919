package io.sluice;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tasks outlive the gateway that started them, as they should; those of a gateway that was tried have nobody who comes back for them. */
final class Leftovers {

    private Leftovers() {}

    /**
     * Ends every process that was started with something in {@code data}, or sees a part of it as its own. What is mounted there for all to see
     * says nothing: whoever shares our mounts sees it, and that is everybody on this machine.
     */
    static void end(Path data) {
        ProcessHandle.allProcesses()
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .filter(process -> knows(process.pid(), data))
                .forEach(ProcessHandle::destroyForcibly);
    }

    private static boolean knows(long pid, Path data) {
        try {
            var process = Path.of("/proc", Long.toString(pid));
            return read(process.resolve("cmdline")).contains(data + "/")
                    || (!mounts(process).equals(mounts(Path.of("/proc/self")))
                            && read(process.resolve("mountinfo")).contains(" " + data + "/"));
        } catch (IOException e) {
            return false; // it has ended, or is somebody else's
        }
    }

    private static Path mounts(Path process) throws IOException {
        return Files.readSymbolicLink(process.resolve("ns/mnt"));
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }
}
