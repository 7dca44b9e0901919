package io.sluice.engines.process;

import io.sluice.engines.Owner;
import io.sluice.engines.Owner.Accounts;
import io.sluice.engines.Task;
import io.sluice.engines.process.Launcher.Isolation;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a task sees as {@code /}: a copy of a skeleton in memory, with folders of the machine bound into it. */
final class TaskRoot {

    private static final List<String> SYSTEM = List.of("usr", "etc", "opt", "nix");
    private static final List<String> PROGRAMS = List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");
    private static final List<String> HARDWARE =
            List.of("sys/devices", "sys/class", "sys/bus", "sys/module", "sys/dev");
    private static final List<String> DEVICES = List.of("null", "zero", "full", "random", "urandom", "tty");
    /** What the drivers of NVIDIA, Ascend and AMD speak through. */
    private static final Pattern ACCELERATOR = Pattern.compile(
            "nvidia\\d*|nvidiactl|nvidia-uvm(-tools)?|nvidia-modeset|davinci\\d+|davinci_manager|devmm_svm|hisi_hdc|kfd");

    private static final List<String> EMPTY =
            List.of("mnt", "run", "home", "root", "srv", "proc", "dev/pts", "dev/shm", "var/lib");
    private static final List<String> FOR_ALL = List.of("tmp", "var/tmp");

    /** What only root's system files say to write: sysctl lets user 0 write, whatever rights it has lost. */
    private static final List<String> KERNEL = List.of("proc/sys", "proc/irq", "proc/bus", "proc/sysrq-trigger");

    static final String USERS = "users";
    static final String GROUPS = "groups";
    private static final Path PASSWD = Path.of("/etc/passwd");
    private static final Path GROUP = Path.of("/etc/group");

    private final Path skeleton;
    private final Isolation isolation;
    private final List<String> bound = new ArrayList<>();
    private final List<Path> covered;

    /**
     * @param hidden folders that no task may see into, unless one in them is given to it
     */
    private TaskRoot(Path skeleton, Isolation isolation, List<Path> hidden) {
        this.skeleton = skeleton;
        this.isolation = isolation;
        this.covered = new ArrayList<>(hidden);
    }

    static TaskRoot build(Path skeleton, Isolation isolation, List<Path> hidden) throws IOException {
        var root = new TaskRoot(skeleton, isolation, hidden);
        Files.createDirectories(skeleton);
        for (var folder : EMPTY) {
            Files.createDirectories(skeleton.resolve(folder));
        }
        for (var folder : FOR_ALL) {
            Files.createDirectories(skeleton.resolve(folder));
            Files.setPosixFilePermissions(skeleton.resolve(folder), PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        for (var folder : HARDWARE) {
            root.bind(folder);
        }
        for (var folder : SYSTEM) {
            root.bind(folder);
        }
        for (var folder : PROGRAMS) {
            root.bindOrLink(folder);
        }
        root.devices();
        root.resolver();
        if (isolation == Isolation.ROOT) {
            root.coverSecrets(Path.of("/etc"));
        }
        return root;
    }

    Path skeleton() {
        return skeleton;
    }

    /** The mounts, in order, as {@code mount --all} reads them; {@code root} is where the skeleton has been copied to. */
    String fstab(Path root, Task task, Owner owner) throws IOException {
        return mounts(root, task, owner).fstab();
    }

    /** The same as calls of the kernel: source, target, type, flags, data, and whether the target may have to be made. */
    List<String> calls(Path root, Task task, Owner owner) throws IOException {
        return mounts(root, task, owner).calls();
    }

    /** Whether a task of theirs has files of its own that say who they are: {@link #USERS} and {@link #GROUPS} in its run's folder. */
    boolean names(Owner owner) throws IOException {
        return isolation == Isolation.ROOT
                && !owner.isRoot()
                && accounts().name(owner).isEmpty();
    }

    /** Of this machine. */
    Accounts accounts() throws IOException {
        return new Accounts(Files.readString(PASSWD), Files.readString(GROUP));
    }

    private Mounts mounts(Path root, Task task, Owner owner) throws IOException {
        var mounts = new Mounts(root);
        for (var path : bound) {
            mounts.bind(Path.of("/", path), "/" + path, true);
        }
        mounts.add("tmpfs", "/tmp", "tmpfs", "nosuid,nodev,mode=1777" + size(task.memoryMB()));
        mounts.add("tmpfs", "/dev/shm", "tmpfs", "nosuid,nodev,mode=1777" + size(task.shmMB()));
        mounts.add("devpts", "/dev/pts", "devpts", "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620");
        mounts.add("proc", "/proc", "proc", "nosuid,nodev,noexec");
        if (isolation == Isolation.ROOT) {
            KERNEL.stream().filter(path -> Files.exists(Path.of("/", path))).forEach(mounts::freeze);
        }
        for (var path : covered) {
            if (bound.stream().anyMatch(folder -> path.startsWith(Path.of("/", folder))) && Files.exists(path)) {
                mounts.cover(path);
            }
        }
        if (names(owner)) {
            mounts.put(root.resolveSibling(USERS), PASSWD);
            mounts.put(root.resolveSibling(GROUPS), GROUP);
        }
        for (var mount : task.mounts()) {
            mounts.bind(mount.source(), mount.target(), mount.readOnly());
        }
        return mounts;
    }

    private static String size(int megabytes) {
        return megabytes == 0 ? "" : ",size=" + megabytes + "m";
    }

    private void bind(String folder) throws IOException {
        if (Files.isDirectory(Path.of("/", folder), LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(skeleton.resolve(folder));
            bound.add(folder);
        }
    }

    private void bindOrLink(String folder) throws IOException {
        var path = Path.of("/", folder);
        if (Files.isSymbolicLink(path)) {
            link(folder, Files.readSymbolicLink(path).toString());
        } else {
            bind(folder);
        }
    }

    private void link(String name, String target) throws IOException {
        Files.deleteIfExists(skeleton.resolve(name));
        Files.createSymbolicLink(skeleton.resolve(name), Path.of(target));
    }

    private void file(String path) throws IOException {
        var file = skeleton.resolve(path);
        Files.createDirectories(file.getParent());
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
        bound.add(path);
    }

    private void devices() throws IOException {
        for (var device : DEVICES) {
            file("dev/" + device);
        }
        accelerators();
        link("dev/ptmx", "pts/ptmx");
        link("dev/fd", "/proc/self/fd");
        link("dev/stdin", "/proc/self/fd/0");
        link("dev/stdout", "/proc/self/fd/1");
        link("dev/stderr", "/proc/self/fd/2");
    }

    /** All of them: which of them a task uses is told to it, and not kept from it. */
    private void accelerators() throws IOException {
        try (var nodes = Files.newDirectoryStream(
                Path.of("/dev"),
                node -> ACCELERATOR.matcher(node.getFileName().toString()).matches())) {
            for (var node : nodes) {
                if (!Files.isDirectory(node) && !Files.isSymbolicLink(node)) {
                    file("dev/" + node.getFileName());
                }
            }
        }
        bind("dev/dri");
    }

    /** Where names are resolved is often said by a file outside /etc. */
    private void resolver() throws IOException {
        var named = Path.of("/etc/resolv.conf");
        if (Files.exists(named)) {
            var real = named.toRealPath();
            if (bound.stream().noneMatch(folder -> real.startsWith(Path.of("/", folder)))) {
                file(real.toString().substring(1));
            }
        }
    }

    /** A task that runs as root sees of the machine's settings what any user may. */
    private void coverSecrets(Path top) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (isForAll(folder, PosixFilePermission.OTHERS_EXECUTE)) {
                    return FileVisitResult.CONTINUE;
                }
                covered.add(folder);
                return FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile() && !isForAll(file, PosixFilePermission.OTHERS_READ)) {
                    covered.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static boolean isForAll(Path path, PosixFilePermission right) throws IOException {
        return Files.getPosixFilePermissions(path).contains(right);
    }

    /** One after another. */
    private static final class Mounts {

        private static final Set<String> KEPT = Set.of("nosuid", "nodev", "noexec");
        private static final int BIND = 0x1000;
        private static final int REMOUNT = 0x20;
        private static final int RECURSIVE = 0x4000;
        private static final Map<String, Integer> FLAGS = Map.of(
                "ro",
                1,
                "nosuid",
                2,
                "nodev",
                4,
                "noexec",
                8,
                "remount",
                REMOUNT,
                "bind",
                BIND,
                "rbind",
                BIND | RECURSIVE);
        private static final String MADE = "x-mount.mkdir";

        private final Path root;
        private final List<String[]> host;
        private final List<Mount> all = new ArrayList<>();

        private record Mount(String source, String target, String type, String options) {}

        Mounts(Path root) throws IOException {
            this.root = root;
            this.host = Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .map(line -> line.split(" "))
                    .toList();
        }

        void add(String source, String target, String type, String options) {
            all.add(new Mount(source, root + target, type, options));
        }

        /** With all that is mounted below it; only the topmost becomes read-only by itself, so the others are named. */
        void bind(Path source, String target, boolean readOnly) {
            var flags = flags(source);
            if (!readOnly) {
                flags.addAll(Set.of("nosuid", "nodev"));
            }
            add(source.toString(), target, "none", MADE + ",rbind" + (readOnly ? ",ro" : "") + joined(flags));
            for (var mount : host) {
                var point = Path.of(unescape(mount[4]));
                if (readOnly && point.startsWith(source) && !point.equals(source)) {
                    var below = target + "/" + source.relativize(point);
                    add("none", below, "none", "remount,bind,ro" + joined(flags(point)));
                }
            }
        }

        void freeze(String path) {
            add(root + "/" + path, "/" + path, "none", "bind,ro,nosuid,nodev,noexec");
        }

        void put(Path file, Path over) {
            add(file.toString(), over.toString(), "none", "bind,ro,nosuid,nodev,noexec");
        }

        void cover(Path path) {
            if (Files.isDirectory(path)) {
                add("tmpfs", path.toString(), "tmpfs", "ro,nosuid,nodev,noexec,size=4k,mode=000");
            } else {
                add("/dev/null", path.toString(), "none", "bind,ro" + joined(flags(Path.of("/dev/null"))));
            }
        }

        /** The kernel does not let an ordinary user take these away when something is bound elsewhere. */
        private Set<String> flags(Path path) {
            var flags = new HashSet<String>();
            int depth = -1;
            for (var mount : host) {
                var point = Path.of(unescape(mount[4]));
                if (path.startsWith(point) && point.getNameCount() >= depth) {
                    depth = point.getNameCount();
                    flags.clear();
                    flags.addAll(List.of(mount[5].split(",")));
                }
            }
            flags.retainAll(KEPT);
            return flags;
        }

        private static String joined(Set<String> flags) {
            return flags.stream().sorted().map(flag -> "," + flag).reduce("", String::concat);
        }

        private static String escape(String path) {
            return path.replace("\\", "\\134")
                    .replace(" ", "\\040")
                    .replace("\t", "\\011")
                    .replace("\n", "\\012")
                    .replace("#", "\\043");
        }

        private static String unescape(String path) {
            return path.replace("\\040", " ")
                    .replace("\\011", "\t")
                    .replace("\\012", "\n")
                    .replace("\\134", "\\");
        }

        String fstab() {
            return all.stream()
                    .map(one -> "%s %s %s %s 0 0\n"
                            .formatted(escape(one.source), escape(one.target), one.type, one.options))
                    .collect(Collectors.joining());
        }

        List<String> calls() {
            var calls = new ArrayList<String>();
            for (var one : all) {
                int flags = 0;
                var data = new ArrayList<String>();
                for (var option : one.options.split(",")) {
                    var flag = FLAGS.get(option);
                    flags |= flag == null ? 0 : flag;
                    if (flag == null && !option.equals(MADE)) {
                        data.add(option);
                    }
                }
                int how = flags & (BIND | RECURSIVE);
                boolean binds = how != 0 && (flags & REMOUNT) == 0;
                call(calls, one, binds ? how : flags, data);
                if (binds && flags != how) { // the kernel heeds no other flag while it binds
                    call(calls, one, REMOUNT | BIND | (flags & ~RECURSIVE), data);
                }
            }
            return calls;
        }

        private static void call(List<String> calls, Mount one, int flags, List<String> data) {
            calls.addAll(List.of(
                    one.source,
                    one.target,
                    one.type,
                    Integer.toString(flags),
                    String.join(",", data),
                    one.options.contains(MADE) ? "1" : ""));
        }
    }
}
