package io.sluice.endpoints.ssh.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of a task, as its own programs find them. */
final class TaskFiles {
    private static final int FIRST = 3;
    private static final int LONGEST_PATH = 4_095;
    /** Of folders that a client lists, in all. */
    static final int MOST_ENTRIES = 100_000;

    private static final Pattern ENTRY = Pattern.compile("^/" + Attributes.FIELDS + "/\\./", Pattern.MULTILINE);

    /** How a file is to be opened. */
    record Mode(boolean writes, boolean appends, boolean creates, boolean empties, boolean only) {
        static final Mode READ = new Mode(false, false, false, false, false);
        static final Mode REPLACE = new Mode(true, false, true, true, false);
    }

    @SuppressWarnings("ArrayRecordComponent")
    record Entry(byte[] name, Attributes attributes) {}

    private final Hand hand;
    private final int most;
    private final BitSet descriptors = new BitSet();

    /** @param most files that may be open at once; a shell knows descriptors of one digit only */
    TaskFiles(Hand hand, int most) {
        this.hand = hand;
        this.most = Math.min(most, 10 - FIRST);
    }

    private String word(byte[] path) throws Fault {
        if (path.length > LONGEST_PATH) {
            throw new Fault(Fault.FAILURE, "File name too long");
        }
        for (byte one : path) {
            if (one == 0) {
                throw new Fault(Fault.NO_SUCH_FILE, "No such file or directory");
            }
        }
        if (path.length == 0) {
            return ".";
        }
        String word = Hand.word(path);
        // a name that begins like an option, or means a folder that was left to test
        return path[0] == '/' ? word : "./" + word;
    }

    private byte[] done(String line) throws IOException, InterruptedException, Fault {
        return hand.run(line).orFault();
    }

    byte[] real(byte[] path) throws IOException, InterruptedException, Fault {
        return withoutEnd(done("readlink -f " + word(path)));
    }

    private static byte[] withoutEnd(byte[] line) {
        boolean ends = line.length > 0 && line[line.length - 1] == '\n';
        return ends ? java.util.Arrays.copyOf(line, line.length - 1) : line;
    }

    Attributes attributes(byte[] path, boolean followed) throws IOException, InterruptedException, Fault {
        return attributes((followed ? "-L " : "") + word(path));
    }

    Attributes attributes(OpenFile file) throws IOException, InterruptedException, Fault {
        file.flush();
        return attributes("-L " + file.path());
    }

    private Attributes attributes(String what) throws IOException, InterruptedException, Fault {
        return Attributes.parse(
                new String(done("stat -c " + Attributes.FORMAT + " " + what), StandardCharsets.ISO_8859_1));
    }

    /**
     * Without itself and what it is in.
     *
     * @param most that it may have
     */
    List<Entry> list(byte[] path, int most) throws IOException, InterruptedException, Fault {
        String text = new String(done("list " + word(path) + " " + most), StandardCharsets.ISO_8859_1);
        List<Entry> entries = new ArrayList<>();
        Matcher next = ENTRY.matcher(text);
        boolean more = next.find();
        while (more) {
            Attributes attributes = Attributes.of(next);
            int begin = next.end();
            more = next.find();
            String name = text.substring(begin, more ? next.start() - 1 : text.length());
            name = name.endsWith("\n") && !more ? name.substring(0, name.length() - 1) : name;
            // no file has such a name, but what a client is told would lead it out of where it wants to be
            if (!name.isEmpty() && name.indexOf('/') < 0 && !name.equals(".") && !name.equals("..")) {
                entries.add(new Entry(name.getBytes(StandardCharsets.ISO_8859_1), attributes));
            }
        }
        return entries;
    }

    OpenFile open(byte[] path, Mode mode, int permissions) throws IOException, InterruptedException, Fault {
        int slot = descriptors.nextClearBit(0);
        if (slot >= most) {
            throw new Fault(Fault.FAILURE, "Too many open files: " + most + " at once.");
        }
        int descriptor = FIRST + slot;
        String p = word(path);
        done(mode.writes() ? writing(p, mode, permissions, descriptor) : reading(p, descriptor));
        descriptors.set(slot);
        return new OpenFile(hand, descriptor, mode.writes(), mode.appends());
    }

    private static String reading(String p, int descriptor) {
        return "if ! there " + p + "; then no 'No such file or directory'; elif ! [ -f " + p
                + " ]; then no 'Not a regular file'; elif ! [ -r " + p
                + " ]; then no 'Permission denied'; else command exec " + descriptor + "<" + p + "; fi";
    }

    private static String writing(String p, Mode mode, int permissions, int descriptor) {
        String there = mode.only()
                ? "no 'File exists'"
                : "if ! [ -f " + p + " ]; then no 'Not a regular file'; elif ! [ -w " + p
                        + " ]; then no 'Permission denied'; else " + (mode.empties() ? "( : >" + p + " )" : ":")
                        + "; fi";
        String fresh = !mode.creates()
                ? "no 'No such file or directory'"
                : "( " + (mode.only() ? "set -C; : >" : ": >>") + p + " )"
                        + (permissions == 0
                                ? ""
                                : " && chmod \"$(masked " + Integer.toOctalString(permissions & 0777) + ")\" " + p);
        return "if [ -e " + p + " ]; then " + there + "; else " + fresh + "; fi && command exec " + descriptor
                + (mode.appends() ? ">>" : "<>") + p;
    }

    void close(OpenFile file) throws IOException, InterruptedException, Fault {
        descriptors.clear(file.descriptor() - FIRST);
        file.close();
    }

    void change(OpenFile file, Attributes wanted) throws IOException, InterruptedException, Fault {
        file.flush();
        change(file.path(), wanted);
    }

    void change(byte[] path, Attributes wanted) throws IOException, InterruptedException, Fault {
        change(word(path), wanted);
    }

    private void change(String p, Attributes wanted) throws IOException, InterruptedException, Fault {
        List<String> steps = new ArrayList<>(List.of("[ -e " + p + " ] || no 'No such file or directory'"));
        if (wanted.size() != null) {
            steps.add("dd if=/dev/null of=" + p + " bs=1 count=0 seek=" + wanted.size());
        }
        if (wanted.owner() != null && wanted.group() != null) {
            steps.add("chown " + Integer.toUnsignedString(wanted.owner()) + ":"
                    + Integer.toUnsignedString(wanted.group()) + " " + p);
        }
        if (wanted.mode() != null) {
            steps.add("chmod " + Integer.toOctalString(wanted.permissions()) + " " + p);
        }
        if (wanted.changed() != null) {
            steps.add("{ touch -a -d @" + wanted.accessed() + " " + p + " && touch -m -d @" + wanted.changed() + " " + p
                    + " || touch -d @" + wanted.changed() + " " + p + "; }");
        }
        done("{ " + String.join("; } && { ", steps) + "; }");
    }

    void makeFolder(byte[] path, int permissions) throws IOException, InterruptedException, Fault {
        String p = word(path);
        done("mkdir " + p
                + (permissions == 0
                        ? ""
                        : " && chmod \"$(masked " + Integer.toOctalString(permissions & 07777) + ")\" " + p));
    }

    void removeFolder(byte[] path) throws IOException, InterruptedException, Fault {
        done("rmdir " + word(path));
    }

    void remove(byte[] path) throws IOException, InterruptedException, Fault {
        String p = word(path);
        done("if folder " + p + "; then no 'Is a directory'; elif there " + p + "; then rm -f " + p
                + "; else no 'No such file or directory'; fi");
    }

    /** @param replaces whether what has the name already goes for it */
    void move(byte[] from, byte[] to, boolean replaces) throws IOException, InterruptedException, Fault {
        String a = word(from);
        String b = word(to);
        done(
                replaces
                        ? "if folder " + b + "; then folder " + a + " && rmdir " + b + " && mv " + a + " " + b
                                + "; elif [ -L " + b + " ]; then there " + a
                                + " || no 'No such file or directory' && rm -f " + b
                                + " && mv " + a + " " + b + "; else mv -f " + a + " " + b + "; fi"
                        : "if there " + b + "; then no 'File exists'; else mv " + a + " " + b + "; fi");
    }

    /** @param target as it is to stand in the link */
    void link(byte[] target, byte[] path, boolean symbolic) throws IOException, InterruptedException, Fault {
        String b = word(path);
        String what = symbolic ? "-s -- " + Hand.word(target) : word(target);
        done("if there " + b + "; then no 'File exists'; else ln " + what + " " + b + "; fi");
    }

    byte[] target(byte[] path) throws IOException, InterruptedException, Fault {
        return withoutEnd(done("readlink " + word(path)));
    }
}
