package io.sluice.engines.docker;

import com.github.dockerjava.api.exception.NotFoundException;
import io.sluice.engines.docker.wire.Daemon;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts a task's script into its container, with what begins it: that has the output written where it belongs, and runs once. */
final class Boot {

    static final String FOLDER = "/.sluice";
    static final String BEGIN = FOLDER + "/begin";
    static final String OUTPUT = FOLDER + "/output";
    static final int RAN_ALREADY = 120;
    private static final String TASK = FOLDER + "/task";
    private static final String APT = "/etc/apt/apt.conf.d";
    private static final String PASSWD = "/etc/passwd";
    private static final List<String> SHELLS = List.of("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh");
    private static final int IMAGES_KEPT = 200;
    private static final int LONGEST_PASSWD = 64 * 1024;
    private static final int BLOCK = 512;
    private static final int FOLDER_MODE = 0755;
    private static final int PROGRAM = 0555;
    private static final int TEXT = 0644;

    private final Daemon daemon;
    private final Map<String, Image> images = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Image> eldest) {
            return size() > IMAGES_KEPT;
        }
    };

    /** What an image has. */
    private record Image(@Nullable String shell, @Nullable String passwd, boolean hasApt) {}

    Boot(Daemon daemon) {
        this.daemon = daemon;
    }

    /**
     * @param own what must not be seen before the container's set-up is over
     * @return false when the image has no shell
     */
    boolean fill(String container, String image, String script, int user, int group, Map<String, String> own) {
        var known = known(container, image);
        var shell = known.shell();
        if (shell == null) {
            return false;
        }
        var tar = new Tar();
        tar.folder(FOLDER, FOLDER_MODE, 0, 0);
        tar.folder(FOLDER + "/once", 0700, user, group);
        var name = userName(known, user);
        tar.file(BEGIN, PROGRAM, begin(shell, name.orElse("sluice"), own));
        tar.file(TASK, PROGRAM, script);
        if (name.isEmpty() && known.passwd() != null) {
            // without a line here ssh, git and many a library refuse to work
            var passwd =
                    known.passwd().endsWith("\n") || known.passwd().isEmpty() ? known.passwd() : known.passwd() + "\n";
            tar.file(PASSWD, TEXT, passwd + "sluice:x:" + user + ":" + group + "::/userhome:" + shell + "\n");
        }
        if (known.hasApt() && user == 0) {
            // apt gives up rights to a user of its own, whose folders root may not write to in here
            tar.file(APT + "/99sluice", TEXT, "APT::Sandbox::User \"root\";\n");
        }
        var bytes = tar.bytes();
        daemon.ask(
                "fill",
                Daemon.LONG,
                client -> client.copyArchiveToContainerCmd(container)
                        .withRemotePath("/")
                        .withTarInputStream(new ByteArrayInputStream(bytes))
                        .exec());
        return true;
    }

    private static String begin(String shell, String name, Map<String, String> own) {
        var exports = new StringBuilder();
        own.forEach((variable, value) -> exports.append("export ")
                .append(variable)
                .append("='")
                .append(value.replace("'", "'\\''"))
                .append("'\n"));
        return """
                #!%1$s
                # made whole or not at all: a container that is started again runs nothing again
                (set -C; : > %2$s/once/begun) 2>/dev/null || exit %3$d
                exec >>%4$s 2>&1 || exit 125
                # a script that writes to /dev/stdout opens the file again, and would cut off what is in it: now it can not
                chmod 400 %4$s 2>/dev/null
                unset TINI_KILL_PROCESS_GROUP LD_PRELOAD LD_AUDIT
                : "${SHELL:=%1$s}" "${USER:=%5$s}" "${LOGNAME:=%5$s}" "${LANG:=C.UTF-8}"
                export SHELL USER LOGNAME LANG
                %6$sexec %1$s %7$s
                """.formatted(shell, FOLDER, RAN_ALREADY, OUTPUT, name, exports, TASK);
    }

    /** The name that the image has for the user. */
    private static Optional<String> userName(Image image, int user) {
        return image.passwd() == null
                ? Optional.empty()
                : image.passwd()
                        .lines()
                        .map(line -> line.split(":"))
                        .filter(fields -> fields.length > 2 && fields[2].equals("" + user))
                        .map(fields -> fields[0])
                        .filter(name -> name.matches("[A-Za-z0-9._-]+"))
                        .findFirst();
    }

    private Image known(String container, String image) {
        synchronized (images) {
            var known = images.get(image);
            if (known != null) {
                return known;
            }
        }
        var shell = SHELLS.stream()
                .filter(path -> read(container, path, 0).isPresent())
                .findFirst()
                .orElse(null);
        var passwd = read(container, PASSWD, LONGEST_PASSWD);
        var found = new Image(
                shell,
                passwd.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse(""),
                read(container, APT, 0).isPresent());
        synchronized (images) {
            images.put(image, found);
        }
        return found;
    }

    /** The beginning of a file of the container; empty where there is none. */
    private Optional<byte[]> read(String container, String path, int most) {
        try {
            return Optional.of(daemon.ask("look", Daemon.SHORT, client -> {
                try (var tar =
                        client.copyArchiveFromContainerCmd(container, path).exec()) {
                    return most == 0 ? new byte[0] : Tar.first(tar, most);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }));
        } catch (NotFoundException e) {
            return Optional.empty();
        }
    }

    /** As the engine takes files: one header of 512 bytes for each, its bytes, and zeroes up to the next. */
    static final class Tar {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();

        void folder(String path, int mode, int user, int group) {
            header(path.substring(1) + "/", '5', mode, user, group, 0);
        }

        void file(String path, int mode, String text) {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            header(path.substring(1), '0', mode, 0, 0, bytes.length);
            all.writeBytes(bytes);
            all.writeBytes(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
        }

        byte[] bytes() {
            all.writeBytes(new byte[2 * BLOCK]);
            return all.toByteArray();
        }

        private void header(String name, char type, int mode, int user, int group, int size) {
            var header = new byte[BLOCK];
            put(header, 0, name);
            put(header, 100, "%07o".formatted(mode));
            put(header, 108, "%07o".formatted(user));
            put(header, 116, "%07o".formatted(group));
            put(header, 124, "%011o".formatted(size));
            put(header, 136, "%011o".formatted(0));
            Arrays.fill(header, 148, 156, (byte) ' ');
            header[156] = (byte) type;
            put(header, 257, "ustar\00000");
            int sum = 0;
            for (var octet : header) {
                sum += octet & 0xFF;
            }
            put(header, 148, "%06o\0 ".formatted(sum));
            all.writeBytes(header);
        }

        private static void put(byte[] header, int at, String text) {
            var bytes = text.getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(bytes, 0, header, at, bytes.length);
        }

        /** The bytes of the first file, if it is one and not longer than that. */
        static byte[] first(InputStream tar, int most) throws IOException {
            var header = tar.readNBytes(BLOCK);
            if (header.length < BLOCK || (header[156] != '0' && header[156] != 0)) {
                return new byte[0];
            }
            var size = new String(header, 124, 11, StandardCharsets.US_ASCII).strip();
            long length = size.matches("[0-7]+") ? Long.parseLong(size, 8) : Long.MAX_VALUE;
            return length > most ? new byte[0] : tar.readNBytes((int) length);
        }
    }
}
