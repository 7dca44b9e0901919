package io.sluice.files.tree;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The few calls of Linux that Java has no words for. An open folder or file is a number here, and {@code /proc/self/fd/NUMBER} is the way by
 * which the rest of Java reaches just that one, whatever has become of its name.
 */
final class Kernel {
    /** Neither reads nor waits: what is opened so may be a pipe or a device, and nothing happens to it. */
    private static final int PATH = 0x200000;

    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
    private static final int NO_FOLLOW = ARM ? 0x8000 : 0x20000;
    private static final int FOLDER = ARM ? 0x4000 : 0x10000;
    private static final int HERE = -100;
    /** To be read; not even a pipe that has come in its place keeps who opens it so waiting. */
    private static final int FILE = CLOSE_ON_EXEC | NO_FOLLOW | 0x100 | 0x800;

    /** Bytes of what is told of something that is open. */
    static final int LOOKED = 144;

    private static final long LOOK = ARM ? 80 : 5;
    private static final long LOOK_AT = ARM ? 79 : 262;
    private static final long ITSELF = 0x100;
    private static final int MODE = ARM ? 16 : 24;
    private static final int LINKS = ARM ? 20 : 16;
    private static final int USER = ARM ? 24 : 28;
    private static final int SIZE = 48;
    private static final int CHANGED = 88;
    private static final int STATUS = 104;
    private static final int ONLY_NEW = 1;
    private static final int EACH_OTHER = 2;
    private static final long SETTLE = ARM ? 267 : 306;
    private static final long SET_GROUPS = ARM ? 159 : 116;
    private static final int LONGEST = 4_096;

    private static final ThreadLocal<Words> WORDS = ThreadLocal.withInitial(Words::new);

    /** Loaded when first needed: most gateways start without. */
    private static final class Calls {
        static final MethodHandle OPEN = linked("openat", 3, int.class, int.class, long.class, int.class, int.class);
        static final MethodHandle READ = linked("read", -1, long.class, int.class, long.class, long.class);
        static final MethodHandle CLOSE = linked("close", -1, int.class, int.class);
        static final MethodHandle RENAME =
                linked("renameat2", -1, int.class, int.class, long.class, int.class, long.class, int.class);
        static final MethodHandle AS_USER = linked("setfsuid", -1, int.class, int.class);
        static final MethodHandle AS_GROUP = linked("setfsgid", -1, int.class, int.class);
        static final MethodHandle SAID = linked("strerror", -1, long.class, int.class);
        static final MethodHandle COPY = linked("strncpy", -1, long.class, long.class, long.class, long.class);
        static final MethodHandle LONG_CALL =
                linked("syscall", 1, long.class, long.class, long.class, long.class, long.class, long.class);
        static final MethodHandle CALL = linked("syscall", 1, long.class, long.class, long.class, long.class);
    }

    /** Where two names stand while the kernel reads them. */
    private static final class Words {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(2 * LONGEST);
        final long address = address(bytes);

        long put(int slot, String name) {
            byte[] text = name.getBytes(StandardCharsets.ISO_8859_1);
            bytes.put(slot * LONGEST, text).put(slot * LONGEST + text.length, (byte) 0);
            return address + (long) slot * LONGEST;
        }
    }

    private Kernel() {}

    /** Why these calls can not be made here, as far as that is known without linking them; empty: they can. */
    static String missing() {
        try {
            Class.forName("java.lang.foreign.Linker");
            String system = System.getProperty("os.name", "");
            return system.equals("Linux") ? "" : "they need Linux, and this is " + system;
        } catch (ClassNotFoundException old) {
            return "this Java has no java.lang.foreign; start the gateway with Java 21 or newer";
        }
    }

    static int folder(int above, String name) {
        return open(above, name, PATH | FOLDER | NO_FOLLOW | CLOSE_ON_EXEC);
    }

    static int root(String path) {
        return folder(HERE, path);
    }

    /** Whatever it is; a link is opened itself. */
    static int thing(int above, String name) {
        return open(above, name, PATH | NO_FOLLOW | CLOSE_ON_EXEC);
    }

    /** -1: it is no file, of which nothing happens to it, or there is none that may be read. */
    static int file(int above, String name, ByteBuffer looked, int at, long begin) {
        if (name.length() >= LONGEST) {
            return -1;
        }
        try {
            long words = WORDS.get().put(0, name);
            long found = (long) Calls.LONG_CALL.invokeExact(LOOK_AT, (long) above, words, begin + at, ITSELF);
            return found == 0 && isFile(looked, at) ? (int) Calls.OPEN.invokeExact(above, words, FILE, 0) : -1;
        } catch (Throwable e) {
            throw new IllegalStateException("fstatat could not be called", e);
        }
    }

    /** Whether what is open is a file, of which all is told now. */
    static boolean look(int number, ByteBuffer looked, int at, long begin) {
        try {
            return (long) Calls.CALL.invokeExact(LOOK, (long) number, begin + at) == 0 && isFile(looked, at);
        } catch (Throwable e) {
            throw new IllegalStateException("fstat could not be called", e);
        }
    }

    private static boolean isFile(ByteBuffer looked, int at) {
        return (looked.getInt(at + MODE) & 0170000) == 0100000;
    }

    static int links(ByteBuffer looked, int at) {
        return looked.getInt(at + LINKS);
    }

    static int user(ByteBuffer looked, int at) {
        return looked.getInt(at + USER);
    }

    static long size(ByteBuffer looked, int at) {
        return looked.getLong(at + SIZE);
    }

    static Found found(ByteBuffer looked, int at) {
        return new Found(
                Found.kind(looked.getInt(at + MODE)),
                size(looked, at),
                looked.getLong(at + CHANGED) * 1_000 + looked.getLong(at + CHANGED + 8) / 1_000_000,
                looked.getLong(at + STATUS) * 1_000_000_000 + looked.getLong(at + STATUS + 8),
                looked.getInt(at + MODE) & 07777,
                user(looked, at),
                links(looked, at),
                looked.getLong(at),
                looked.getLong(at + 8));
    }

    static int read(int number, long into, int most) {
        try {
            return (int) (long) Calls.READ.invokeExact(number, into, (long) most);
        } catch (Throwable e) {
            throw new IllegalStateException("read could not be called", e);
        }
    }

    private static int open(int above, String name, int flags) {
        if (name.length() >= LONGEST) {
            return -1;
        }
        try {
            return (int) Calls.OPEN.invokeExact(above, WORDS.get().put(0, name), flags, 0);
        } catch (Throwable e) {
            throw new IllegalStateException("openat could not be called", e);
        }
    }

    static void close(int number) {
        try {
            int done = (int) Calls.CLOSE.invokeExact(number);
            assert done == 0 : "closed twice: " + number;
        } catch (Throwable e) {
            throw new IllegalStateException("close could not be called", e);
        }
    }

    /** Whether it bears the other name now. What has that name already keeps it. */
    static boolean rename(int from, String name, int to, String other) {
        return rename(from, name, to, other, ONLY_NEW);
    }

    /** Whether each bears the other's name now. */
    static boolean swap(int from, String name, int to, String other) {
        return rename(from, name, to, other, EACH_OTHER);
    }

    private static boolean rename(int from, String name, int to, String other, int how) {
        try {
            Words words = WORDS.get();
            return (int) Calls.RENAME.invokeExact(from, words.put(0, name), to, words.put(1, other), how) == 0;
        } catch (Throwable e) {
            throw new IllegalStateException("renameat2 could not be called", e);
        }
    }

    /** Whether all that has been written on the disk of a folder is on it. */
    static boolean settle(int folder) {
        int open = open(folder, ".", FOLDER | NO_FOLLOW | CLOSE_ON_EXEC);
        if (open < 0) {
            return false;
        }
        try {
            return (long) Calls.CALL.invokeExact(SETTLE, (long) open, 0L) == 0;
        } catch (Throwable e) {
            throw new IllegalStateException("syncfs could not be called", e);
        } finally {
            close(open);
        }
    }

    /** The system's words for a failure, as Java hands them on. */
    static String said(int number) {
        try {
            long words = (long) Calls.SAID.invokeExact(number);
            var bytes = ByteBuffer.allocateDirect(LONGEST);
            long copied = (long) Calls.COPY.invokeExact(address(bytes), words, LONGEST - 1L);
            assert copied != 0;
            byte[] text = new byte[LONGEST];
            bytes.get(text);
            int end = 0;
            while (text[end] != 0) {
                end++;
            }
            return new String(text, 0, end, Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")));
        } catch (Throwable e) {
            throw new IllegalStateException("strerror could not be called", e);
        }
    }

    /** This thread, and no other, meets files as somebody else from now on. */
    static void become(int user, int group) throws IOException {
        try {
            long groups = (long) Calls.CALL.invokeExact(SET_GROUPS, 0L, 0L);
            int beforeGroup = (int) Calls.AS_GROUP.invokeExact(group);
            int beforeUser = (int) Calls.AS_USER.invokeExact(user);
            // neither says whether it has done it; a number that is none changes nothing and tells what is so
            boolean done = groups == 0
                    && (int) Calls.AS_GROUP.invokeExact(-1) == group
                    && (int) Calls.AS_USER.invokeExact(-1) == user;
            if (!done) {
                throw new IOException("This system lets nobody act as user " + user + " (was " + beforeUser + ":"
                        + beforeGroup + ")");
            }
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("setfsuid could not be called", e);
        }
    }

    /** By reflection: the language level has no names for these yet, each Java that runs this has them. */
    private static MethodHandle linked(String name, int fixed, Class<?> returned, Class<?>... taken) {
        try {
            Class<?> linkers = Class.forName("java.lang.foreign.Linker");
            Class<?> options = Class.forName("java.lang.foreign.Linker$Option");
            Class<?> layouts = Class.forName("java.lang.foreign.MemoryLayout");
            Class<?> descriptors = Class.forName("java.lang.foreign.FunctionDescriptor");
            Class<?> segments = Class.forName("java.lang.foreign.MemorySegment");
            Object linker = linkers.getMethod("nativeLinker").invoke(null);
            Object names = linkers.getMethod("defaultLookup").invoke(linker);
            Object found = ((Optional<?>) Class.forName("java.lang.foreign.SymbolLookup")
                            .getMethod("find", String.class)
                            .invoke(names, name))
                    .orElseThrow(() -> new IllegalStateException("This system has no " + name));
            Object arguments = Array.newInstance(layouts, taken.length);
            for (int i = 0; i < taken.length; i++) {
                Array.set(arguments, i, layout(taken[i]));
            }
            Object described = descriptors
                    .getMethod("of", layouts, arguments.getClass())
                    .invoke(null, layout(returned), arguments);
            Object chosen = Array.newInstance(options, fixed < 0 ? 0 : 1);
            if (fixed >= 0) {
                Array.set(
                        chosen,
                        0,
                        options.getMethod("firstVariadicArg", int.class).invoke(null, fixed));
            }
            return (MethodHandle) linkers.getMethod("downcallHandle", segments, descriptors, chosen.getClass())
                    .invoke(linker, found, described, chosen);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "This Java can not call " + name + ": Linux and Java 21 or newer are needed", e);
        }
    }

    private static Object layout(Class<?> type) throws ReflectiveOperationException {
        return Class.forName("java.lang.foreign.ValueLayout")
                .getField(type == int.class ? "JAVA_INT" : "JAVA_LONG")
                .get(null);
    }

    static long address(ByteBuffer direct) {
        try {
            Class<?> segments = Class.forName("java.lang.foreign.MemorySegment");
            Object segment = segments.getMethod("ofBuffer", Buffer.class).invoke(null, direct);
            return (long) segments.getMethod("address").invoke(segment);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java does not tell where memory is", e);
        }
    }
}
