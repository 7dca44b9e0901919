package io.sluice.endpoints.ssh.files;

import io.sluice.endpoints.ssh.files.Sftp.Outbox;
import io.sluice.endpoints.ssh.files.TaskFiles.Entry;
import io.sluice.endpoints.ssh.files.TaskFiles.Mode;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code scp -t} and {@code scp -f} would say and do in the task, for clients that know no other way. */
final class Scp {
    private static final Pattern LETTERS = Pattern.compile("-[a-zA-Z]+");
    private static final Pattern FILE = Pattern.compile("[CD]([0-7]{4}) (\\d{1,18}) ([^/\\x00]+)");
    private static final Pattern TIMES = Pattern.compile("T(\\d{1,12}) \\d{1,6} (\\d{1,12}) \\d{1,6}");
    private static final int LONGEST_LINE = 8_192;
    private static final int PIECE = 128 << 10;
    private static final int DEEPEST = 64;

    private final String letters;
    private final List<byte[]> paths;
    private final Inbox inbox;
    private final Outbox outbox;
    private final TaskFiles files;
    private boolean failed;
    /** How many names are kept of the folders that it is in. */
    private int held;

    Scp(byte[] command, Inbox inbox, Outbox outbox, TaskFiles files) {
        List<byte[]> words = words(command);
        this.letters = letters(words);
        this.paths = words.stream().skip(1).filter(word -> !isOption(word)).toList();
        this.inbox = inbox;
        this.outbox = outbox;
        this.files = files;
    }

    static boolean isOne(byte[] command) {
        if (command.length < 6 || !new String(command, 0, 4, StandardCharsets.ISO_8859_1).equals("scp ")) {
            return false;
        }
        List<byte[]> words = words(command);
        String letters = letters(words);
        return (letters.contains("t") || letters.contains("f"))
                && words.stream().skip(1).anyMatch(word -> !isOption(word));
    }

    private static boolean isOption(byte[] word) {
        String text = new String(word, StandardCharsets.ISO_8859_1);
        return text.equals("--") || LETTERS.matcher(text).matches();
    }

    private static String letters(List<byte[]> words) {
        var text = new StringBuilder();
        words.stream()
                .skip(1)
                .map(word -> new String(word, StandardCharsets.ISO_8859_1))
                .filter(word -> LETTERS.matcher(word).matches())
                .forEach(text::append);
        return text.toString();
    }

    /** As a shell divides them, quotes taken away. */
    private static List<byte[]> words(byte[] command) {
        List<byte[]> words = new ArrayList<>();
        var word = new ByteArrayOutputStream();
        boolean inside = false;
        int quote = 0;
        for (int i = 0; i < command.length; i++) {
            byte one = command[i];
            if (quote == 0 && (one == ' ' || one == '\t')) {
                if (inside) {
                    words.add(word.toByteArray());
                    word.reset();
                }
                inside = false;
            } else if (quote == 0 && (one == '\'' || one == '"')) {
                quote = one;
                inside = true;
            } else if (one == quote) {
                quote = 0;
            } else {
                boolean escaped = one == '\\' && quote != '\'' && i + 1 < command.length;
                word.write(escaped ? command[++i] : one);
                inside = true;
            }
        }
        if (inside) {
            words.add(word.toByteArray());
        }
        return words;
    }

    private boolean has(char letter) {
        return letters.indexOf(letter) >= 0;
    }

    int run() throws IOException, InterruptedException {
        if (has('t')) {
            receive(home(paths.getFirst()));
        } else {
            answer();
            for (byte[] path : paths) {
                offer(home(path), 0);
            }
        }
        return failed ? 1 : 0;
    }

    private static byte[] home(byte[] path) {
        String text = new String(path, StandardCharsets.ISO_8859_1);
        String rest = text.equals("~") ? "." : text.startsWith("~/") ? text.substring(2) : text;
        return rest.getBytes(StandardCharsets.ISO_8859_1);
    }

    private void say(String text) throws IOException, InterruptedException {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        outbox.send(bytes, bytes.length);
    }

    private void complain(String path, Fault fault) throws IOException, InterruptedException {
        failed = true;
        say("\u0001scp: " + path + ": " + String.valueOf(fault.getMessage()).replace('\n', ' ') + "\n");
    }

    private static String shown(byte[] path) {
        return new String(path, StandardCharsets.ISO_8859_1);
    }

    /** False: the other end could not, and has said so to its user. */
    private boolean answer() throws IOException, InterruptedException {
        int code = inbox.read();
        if (code < 0) {
            throw new EOFException("the client has gone");
        }
        if (code != 0) {
            failed = true;
            line(code);
        }
        if (code == 2) {
            throw new EOFException("the client has given up");
        }
        return code == 0;
    }

    private String line(int first) throws IOException, InterruptedException {
        var line = new ByteArrayOutputStream();
        for (int next = first; next != '\n'; next = inbox.read()) {
            if (next < 0 || line.size() > LONGEST_LINE) {
                throw new EOFException("this is no line of scp");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    private void offer(byte[] path, int depth) throws IOException, InterruptedException {
        try {
            Attributes found = files.attributes(path, true);
            if (found.isFolder() && has('r') && depth < DEEPEST) {
                offerFolder(path, found, depth);
            } else if (found.isRegular()) {
                offerFile(path, found);
            } else {
                throw new Fault(Fault.FAILURE, "not a regular file");
            }
        } catch (Fault fault) {
            complain(shown(path), fault);
        }
    }

    private boolean offerTimes(Attributes found) throws IOException, InterruptedException {
        if (!has('p')) {
            return true;
        }
        say("T" + found.changed() + " 0 " + found.accessed() + " 0\n");
        return answer();
    }

    private void offerFolder(byte[] path, Attributes found, int depth) throws IOException, InterruptedException, Fault {
        List<Entry> entries = files.list(path, TaskFiles.MOST_ENTRIES - held);
        held += entries.size();
        try {
            offerFolder(path, found, depth, entries);
        } finally {
            held -= entries.size();
        }
    }

    private void offerFolder(byte[] path, Attributes found, int depth, List<Entry> entries)
            throws IOException, InterruptedException {
        if (!offerTimes(found)) {
            return;
        }
        say("D%04o 0 %s\n".formatted(found.permissions(), name(path)));
        if (!answer()) {
            return;
        }
        for (Entry entry : entries) {
            offer(in(path, shown(entry.name())), depth + 1);
        }
        say("E\n");
        answer();
    }

    private static String name(byte[] path) {
        String text = shown(path).replaceFirst("/+$", "");
        return text.substring(text.lastIndexOf('/') + 1);
    }

    private static byte[] in(byte[] folder, String name) {
        return (shown(folder) + "/" + name).getBytes(StandardCharsets.ISO_8859_1);
    }

    private void offerFile(byte[] path, Attributes found) throws IOException, InterruptedException, Fault {
        OpenFile file = files.open(path, Mode.READ, 0);
        try {
            Long known = files.attributes(file).size();
            long size = known == null ? 0 : known;
            if (!offerTimes(found)) {
                return;
            }
            say("C%04o %d %s\n".formatted(found.permissions(), size, name(path)));
            if (answer()) {
                send(file, size);
            }
        } finally {
            files.close(file);
        }
    }

    /** Exactly as many bytes as have been announced, whatever becomes of the file meanwhile. */
    private void send(OpenFile file, long size) throws IOException, InterruptedException, Fault {
        boolean whole = true;
        for (long at = 0; at < size; ) {
            int count = (int) Math.min(PIECE, size - at);
            byte[] piece = whole ? file.read(at, count) : new byte[count];
            if (piece.length == 0) {
                whole = false;
                continue;
            }
            outbox.send(piece, piece.length);
            at += piece.length;
        }
        if (whole) {
            say("\0");
        } else {
            failed = true;
            say("\u0001scp: the file has become shorter meanwhile\n");
        }
        answer();
    }

    private void receive(byte[] target) throws IOException, InterruptedException {
        boolean folder = isFolder(target);
        if (has('d') && !folder) {
            complain(shown(target), new Fault(Fault.FAILURE, "Not a directory"));
            return;
        }
        say("\0");
        receiveInto(target, folder, 0);
    }

    private boolean isFolder(byte[] path) throws IOException, InterruptedException {
        try {
            return files.attributes(path, true).isFolder();
        } catch (Fault absent) {
            return false;
        }
    }

    private void receiveInto(byte[] target, boolean folder, int depth) throws IOException, InterruptedException {
        Optional<Matcher> times = Optional.empty();
        for (int first = inbox.read(); first >= 0 && first != 'E'; first = inbox.read()) {
            String line = line(first);
            Matcher next = TIMES.matcher(line);
            if (first == 1 || first == 2) {
                failed = true;
            } else if (next.matches()) {
                times = Optional.of(next);
                say("\0");
            } else {
                receiveOne(target, folder, line, times, depth);
                times = Optional.empty();
            }
        }
        if (depth > 0) {
            line('E');
            say("\0");
        }
    }

    private void receiveOne(byte[] target, boolean folder, String line, Optional<Matcher> times, int depth)
            throws IOException, InterruptedException {
        Matcher announced = FILE.matcher(line);
        boolean isFolder = line.startsWith("D");
        // a name that leads elsewhere is never one that scp sends
        if (!announced.matches()
                || announced.group(3).equals(".")
                || announced.group(3).equals("..")
                || (isFolder && (!has('r') || depth >= DEEPEST))) {
            say("\u0002scp: this is not known here\n");
            throw new EOFException("no line of scp: " + line.length() + " bytes");
        }
        byte[] path = folder ? in(target, announced.group(3)) : target;
        int permissions = Integer.parseInt(announced.group(1), 8);
        try {
            if (isFolder) {
                receiveFolder(path, permissions, depth);
            } else {
                receiveFile(path, permissions, Long.parseLong(announced.group(2)));
            }
            if (times.isPresent()) {
                files.change(path, changed(times.get()));
            }
        } catch (Fault fault) {
            complain(shown(path), fault);
            return;
        }
        if (!isFolder) {
            say("\0");
        }
    }

    private static Attributes changed(Matcher times) {
        return new Attributes(null, null, null, null, Long.valueOf(times.group(2)), Long.valueOf(times.group(1)));
    }

    private void receiveFolder(byte[] path, int permissions, int depth)
            throws IOException, InterruptedException, Fault {
        if (!isFolder(path)) {
            files.makeFolder(path, permissions | 0700);
        }
        say("\0");
        receiveInto(path, true, depth + 1);
    }

    private void receiveFile(byte[] path, int permissions, long size) throws IOException, InterruptedException, Fault {
        OpenFile file = files.open(path, Mode.REPLACE, permissions);
        say("\0");
        Optional<Fault> fault = Optional.empty();
        for (long at = 0; at < size; ) {
            byte[] piece = inbox.read((int) Math.min(PIECE, size - at));
            try {
                if (fault.isEmpty()) {
                    file.write(at, piece);
                }
            } catch (Fault full) {
                fault = Optional.of(full);
            }
            at += piece.length;
        }
        try {
            files.close(file);
        } catch (Fault full) {
            fault = fault.or(() -> Optional.of(full));
        }
        answer();
        if (fault.isPresent()) {
            throw fault.get();
        }
    }
}
