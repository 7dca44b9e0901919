package io.sluice.endpoints.ssh.files;

import io.sluice.endpoints.ssh.files.TaskFiles.Entry;
import io.sluice.endpoints.ssh.files.TaskFiles.Mode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The protocol of sftp, version 3, with those of OpenSSH's extensions that clients use (draft-ietf-secsh-filexfer-02, OpenSSH's
 * PROTOCOL). One request after the other, in the order in which they come.
 */
final class Sftp {
    private static final int VERSION = 3;
    private static final int LONGEST = 300 << 10;
    private static final int MOST_BYTES = 255 << 10;
    private static final int MOST_FOLDERS = 2;
    private static final int ENTRIES_AT_ONCE = 100;
    private static final Map<String, String> EXTENSIONS = Map.of(
            "posix-rename@openssh.com", "1",
            "hardlink@openssh.com", "1",
            "fsync@openssh.com", "1",
            "expand-path@openssh.com", "1",
            "limits@openssh.com", "1");

    /** Where answers go; waits until they are on their way. */
    @FunctionalInterface
    interface Outbox {
        void send(byte[] bytes, int count) throws IOException, InterruptedException;
    }

    private final Inbox inbox;
    private final Outbox outbox;
    private final TaskFiles files;
    private final int mostFiles;
    private final Map<Integer, OpenFile> open = new HashMap<>();
    private final Map<Integer, Deque<Entry>> listed = new HashMap<>();
    private int handles;

    Sftp(Inbox inbox, Outbox outbox, TaskFiles files, int mostFiles) {
        this.inbox = inbox;
        this.outbox = outbox;
        this.files = files;
        this.mostFiles = mostFiles;
    }

    /** Until the client has gone. */
    void serve() throws IOException, InterruptedException {
        for (int first = inbox.read(); first >= 0; first = inbox.read()) {
            byte[] rest = inbox.read(3);
            int length = (first << 24) | ((rest[0] & 0xFF) << 16) | ((rest[1] & 0xFF) << 8) | (rest[2] & 0xFF);
            if (length < 1 || length > LONGEST) {
                throw new EOFException("no message of sftp is " + length + " bytes long");
            }
            answer(ByteBuffer.wrap(inbox.read(length)));
        }
        for (OpenFile left : open.values()) {
            try {
                left.close();
            } catch (Fault lost) {
                // the client has gone without closing it, and nobody is left to be told
                System.getLogger(Sftp.class.getName())
                        .log(System.Logger.Level.DEBUG, "sftp=lost cause=\"{0}\"", lost.getMessage());
            }
        }
    }

    private void answer(ByteBuffer message) throws IOException, InterruptedException {
        int type = message.get() & 0xFF;
        if (type == 1) {
            send(version());
            return;
        }
        int id = message.getInt();
        try {
            send(answer(type, id, message));
        } catch (Fault fault) {
            send(status(id, fault.status(), String.valueOf(fault.getMessage())));
        } catch (BufferUnderflowException | IllegalArgumentException odd) {
            send(status(id, Fault.BAD_MESSAGE, "This is no message of sftp."));
        }
    }

    private ByteBuffer answer(int type, int id, ByteBuffer message) throws Fault, IOException, InterruptedException {
        return switch (type) {
            case 3 -> open(id, bytes(message), message.getInt(), Attributes.read(message));
            case 4 -> close(id, handle(message));
            case 5 -> read(id, file(message), message.getLong(), message.getInt());
            case 6 -> write(id, file(message), message.getLong(), bytes(message));
            case 7 -> attributes(id, files.attributes(bytes(message), false));
            case 8 -> attributes(id, files.attributes(file(message)));
            case 9 -> changed(id, bytes(message), Attributes.read(message));
            case 10 -> changed(id, file(message), Attributes.read(message));
            case 11 -> listed(id, bytes(message));
            case 12 -> next(id, handle(message));
            case 13 -> did(id, () -> files.remove(bytes(message)));
            case 14 -> made(id, bytes(message), Attributes.read(message));
            case 15 -> did(id, () -> files.removeFolder(bytes(message)));
            case 16 -> name(id, files.real(bytes(message)));
            case 17 -> attributes(id, files.attributes(bytes(message), true));
            case 18 -> did(id, () -> files.move(bytes(message), bytes(message), false));
            case 19 -> name(id, files.target(bytes(message)));
            // OpenSSH's own order, which all others follow: first where it leads to
            case 20 -> did(id, () -> files.link(bytes(message), bytes(message), true));
            case 200 -> extended(id, text(message), message);
            default -> throw new Fault(Fault.UNSUPPORTED, "This is not known here.");
        };
    }

    private ByteBuffer extended(int id, String name, ByteBuffer message)
            throws Fault, IOException, InterruptedException {
        return switch (name) {
            case "posix-rename@openssh.com" -> did(id, () -> files.move(bytes(message), bytes(message), true));
            case "hardlink@openssh.com" -> did(id, () -> files.link(bytes(message), bytes(message), false));
            case "fsync@openssh.com" -> did(id, () -> file(message).flush());
            case "expand-path@openssh.com" -> name(id, files.real(expanded(bytes(message))));
            case "limits@openssh.com" -> limits(id);
            default -> throw new Fault(Fault.UNSUPPORTED, "This is not known here.");
        };
    }

    private interface Deed {
        void run() throws Fault, IOException, InterruptedException;
    }

    private static ByteBuffer did(int id, Deed deed) throws Fault, IOException, InterruptedException {
        deed.run();
        return done(id);
    }

    /** {@code ~} is where everything begins here. */
    private static byte[] expanded(byte[] path) {
        String text = new String(path, StandardCharsets.ISO_8859_1);
        String rest = text.equals("~") ? "." : text.startsWith("~/") ? text.substring(2) : text;
        return rest.getBytes(StandardCharsets.ISO_8859_1);
    }

    private ByteBuffer open(int id, byte[] path, int flags, Attributes wanted)
            throws Fault, IOException, InterruptedException {
        boolean writes = (flags & 2) != 0;
        var mode =
                new Mode(writes, (writes && (flags & 4) != 0), (flags & 8) != 0, (flags & 16) != 0, (flags & 40) == 40);
        OpenFile file = files.open(path, writes ? mode : Mode.READ, wanted.permissions());
        open.put(++handles, file);
        return handle(id, handles);
    }

    private ByteBuffer close(int id, int handle) throws Fault, IOException, InterruptedException {
        OpenFile file = open.remove(handle);
        if (file != null) {
            files.close(file);
        } else if (listed.remove(handle) == null) {
            throw noHandle();
        }
        return done(id);
    }

    private ByteBuffer read(int id, OpenFile file, long from, int count)
            throws Fault, IOException, InterruptedException {
        if (from < 0) {
            throw new IllegalArgumentException("a place before the file");
        }
        byte[] bytes = file.read(from, Math.clamp(Integer.toUnsignedLong(count), 0, MOST_BYTES));
        return bytes.length == 0 && count != 0
                ? status(id, 1, "End of file")
                : begin(103, id, 4 + bytes.length).putInt(bytes.length).put(bytes);
    }

    private static ByteBuffer write(int id, OpenFile file, long to, byte[] bytes)
            throws Fault, IOException, InterruptedException {
        if (to < 0) {
            throw new IllegalArgumentException("a place before the file");
        }
        file.write(to, bytes);
        return done(id);
    }

    private ByteBuffer changed(int id, byte[] path, Attributes wanted) throws Fault, IOException, InterruptedException {
        files.change(path, wanted);
        return done(id);
    }

    private ByteBuffer changed(int id, OpenFile file, Attributes wanted)
            throws Fault, IOException, InterruptedException {
        files.change(file, wanted);
        return done(id);
    }

    private ByteBuffer made(int id, byte[] path, Attributes wanted) throws Fault, IOException, InterruptedException {
        files.makeFolder(path, wanted.permissions());
        return done(id);
    }

    private ByteBuffer listed(int id, byte[] path) throws Fault, IOException, InterruptedException {
        if (listed.size() >= MOST_FOLDERS) {
            throw new Fault(Fault.FAILURE, "Too many open folders: " + MOST_FOLDERS + " at once.");
        }
        Deque<Entry> entries = new ArrayDeque<>();
        for (String own : List.of(".", "..")) {
            byte[] name = own.getBytes(StandardCharsets.US_ASCII);
            byte[] place = new String(path, StandardCharsets.ISO_8859_1)
                    .concat("/" + own)
                    .getBytes(StandardCharsets.ISO_8859_1);
            entries.add(new Entry(name, files.attributes(path.length == 0 ? name : place, true)));
        }
        int held = listed.values().stream().mapToInt(Deque::size).sum();
        entries.addAll(files.list(path, TaskFiles.MOST_ENTRIES - held));
        listed.put(++handles, entries);
        return handle(id, handles);
    }

    private ByteBuffer next(int id, int handle) throws Fault {
        Deque<Entry> entries = listed.get(handle);
        if (entries == null) {
            throw noHandle();
        }
        if (entries.isEmpty()) {
            return status(id, 1, "That is all.");
        }
        Deque<Entry> part = new ArrayDeque<>();
        while (part.size() < ENTRIES_AT_ONCE && !entries.isEmpty()) {
            part.add(entries.remove());
        }
        return names(id, part);
    }

    private OpenFile file(ByteBuffer message) throws Fault {
        OpenFile file = open.get(handle(message));
        if (file == null) {
            throw noHandle();
        }
        return file;
    }

    private static Fault noHandle() {
        return new Fault(Fault.FAILURE, "It is not open.");
    }

    private static int handle(ByteBuffer message) {
        byte[] handle = bytes(message);
        return handle.length == 4 ? ByteBuffer.wrap(handle).getInt() : 0;
    }

    private static byte[] bytes(ByteBuffer message) {
        int length = message.getInt();
        if (length < 0 || length > message.remaining()) {
            throw new BufferUnderflowException();
        }
        var bytes = new byte[length];
        message.get(bytes);
        return bytes;
    }

    private static String text(ByteBuffer message) {
        return new String(bytes(message), StandardCharsets.UTF_8);
    }

    private void send(ByteBuffer message) throws IOException, InterruptedException {
        message.putInt(0, message.position() - 4);
        int length = message.position();
        var bytes = new byte[length];
        message.get(0, bytes);
        outbox.send(bytes, length);
    }

    private static ByteBuffer begin(int type, int id, int room) {
        return ByteBuffer.allocate(9 + room).putInt(0).put((byte) type).putInt(id);
    }

    private static ByteBuffer text(ByteBuffer message, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return message.putInt(bytes.length).put(bytes);
    }

    private static ByteBuffer version() {
        ByteBuffer message = ByteBuffer.allocate(1_024).putInt(0).put((byte) 2).putInt(VERSION);
        EXTENSIONS.forEach((name, version) -> text(text(message, name), version));
        return message;
    }

    private static ByteBuffer done(int id) {
        return status(id, 0, "");
    }

    private static ByteBuffer status(int id, int status, String message) {
        return text(text(begin(101, id, 12 + 4 * message.length()).putInt(status), message), "");
    }

    private static ByteBuffer handle(int id, int handle) {
        return begin(102, id, 8).putInt(4).putInt(handle);
    }

    private static ByteBuffer attributes(int id, Attributes found) {
        ByteBuffer message = begin(105, id, Attributes.BYTES);
        found.write(message);
        return message;
    }

    private static ByteBuffer name(int id, byte[] name) {
        return begin(104, id, 16 + 2 * name.length)
                .putInt(1)
                .putInt(name.length)
                .put(name)
                .putInt(name.length)
                .put(name)
                .putInt(0);
    }

    private static ByteBuffer names(int id, Collection<Entry> entries) {
        int room = entries.stream()
                .mapToInt(entry -> 200 + 2 * entry.name().length)
                .sum();
        ByteBuffer message = begin(104, id, 4 + room).putInt(entries.size());
        for (Entry entry : entries) {
            byte[] line = entry.attributes().line().getBytes(StandardCharsets.US_ASCII);
            message.putInt(entry.name().length).put(entry.name());
            message.putInt(line.length + entry.name().length).put(line).put(entry.name());
            entry.attributes().write(message);
        }
        return message;
    }

    private ByteBuffer limits(int id) {
        return begin(201, id, 32)
                .putLong(LONGEST)
                .putLong(MOST_BYTES)
                .putLong(MOST_BYTES)
                .putLong(mostFiles);
    }
}
