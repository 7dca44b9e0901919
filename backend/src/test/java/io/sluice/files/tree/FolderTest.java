package io.sluice.files.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tree on a real disk, whose owner does what they want in it meanwhile. */
@Timeout(60)
class FolderTest {
    private static final int ROUNDS = 10_000;
    private static final int SOMEBODY = 200_001;

    @TempDir
    private Path disk;

    private Path root;
    private Path secret;

    @BeforeEach
    void plant() throws IOException {
        root = Files.createDirectory(disk.resolve("root"));
        secret = Files.createDirectory(disk.resolve("root-evil"));
        Files.writeString(secret.resolve("file"), "secret");
    }

    private Folder open() throws IOException {
        return Folder.open(root, Owner.GATEWAY);
    }

    private static String text(OpenFile file) throws IOException {
        try (file) {
            var bytes = ByteBuffer.allocate(100);
            file.channel().read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }

    private static Refused.Why why(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Refused refused = org.assertj.core.api.Assertions.catchThrowableOfType(Refused.class, call);
        assertThat(refused).isNotNull();
        return refused.why();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nobody_is_led_out_while_folders_and_links_change_places(boolean folderOrFile) throws Exception {
        Path flips = root.resolve("flips");
        Path real = root.resolve("real");
        Path link = root.resolve("link");
        if (folderOrFile) {
            Files.createDirectory(real);
            Files.writeString(real.resolve("file"), "own");
            Files.createSymbolicLink(link, secret);
        } else {
            Files.createDirectory(flips);
            flips = flips.resolve("file");
            Files.writeString(real, "own");
            Files.createSymbolicLink(link, secret.resolve("file"));
        }
        var over = new AtomicBoolean();
        var flipped = new AtomicInteger();
        Path at = flips;
        Thread job = Thread.ofPlatform().start(() -> flip(at, real, link, over, flipped));
        int own = 0;
        try (Folder top = open()) {
            for (int round = 0; round < ROUNDS; round++) {
                try (Folder folder = top.folder(Place.of("flips"))) {
                    assertThat(text(folder.read("file"))).isEqualTo("own");
                    own++;
                } catch (Refused refused) {
                    assertThat(refused.why())
                            .isIn(
                                    Refused.Why.LINK,
                                    Refused.Why.MISSING,
                                    Refused.Why.NOT_A_FOLDER,
                                    Refused.Why.NOT_ALLOWED);
                }
            }
        } finally {
            over.set(true);
            job.join();
        }
        assertThat(flipped.get()).isGreaterThan(100);
        assertThat(own).isPositive();
        assertThat(secret.resolve("file")).hasContent("secret");
    }

    /** What a job can do all the time. */
    private static void flip(Path at, Path real, Path link, AtomicBoolean over, AtomicInteger flipped) {
        try {
            while (!over.get()) {
                Files.move(real, at, StandardCopyOption.ATOMIC_MOVE);
                Files.move(at, real, StandardCopyOption.ATOMIC_MOVE);
                Files.move(link, at, StandardCopyOption.ATOMIC_MOVE);
                Files.move(at, link, StandardCopyOption.ATOMIC_MOVE);
                flipped.incrementAndGet();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void nothing_is_written_moved_or_removed_elsewhere_while_places_change() throws Exception {
        Path real = Files.createDirectory(root.resolve("real"));
        Path link = Files.createSymbolicLink(root.resolve("link"), secret);
        var over = new AtomicBoolean();
        var flipped = new AtomicInteger();
        Thread job = Thread.ofPlatform().start(() -> flip(root.resolve("flips"), real, link, over, flipped));
        int made = 0;
        try (Folder top = open()) {
            for (int round = 0; round < ROUNDS; round++) {
                try (Folder folder = top.folder("flips")) {
                    folder.create("new").close();
                    folder.move("new", folder, "file");
                    folder.remove("file");
                    made++;
                } catch (Refused refused) {
                    assertThat(refused.why()).isNotEqualTo(Refused.Why.EXISTS);
                }
            }
        } finally {
            over.set(true);
            job.join();
        }
        assertThat(made).isPositive();
        assertThat(flipped.get()).isGreaterThan(100);
        try (var left = Files.list(secret)) {
            assertThat(left).containsExactly(secret.resolve("file"));
        }
        assertThat(secret.resolve("file")).hasContent("secret");
    }

    @Test
    void a_pipe_in_the_place_of_a_file_makes_nobody_wait() throws Exception {
        Path pipe = root.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Files.writeString(root.resolve("real"), "own");
        var over = new AtomicBoolean();
        var flipped = new AtomicInteger();
        Thread job =
                Thread.ofPlatform().start(() -> flip(root.resolve("flips"), root.resolve("real"), pipe, over, flipped));
        try (Folder top = open()) {
            for (int round = 0; round < ROUNDS; round++) {
                try {
                    assertThat(text(top.read("flips"))).isEqualTo("own");
                } catch (Refused refused) {
                    assertThat(refused.why())
                            .isIn(Refused.Why.NOT_A_FILE, Refused.Why.MISSING, Refused.Why.NOT_ALLOWED);
                }
                try {
                    top.folder("flips").close();
                } catch (Refused refused) {
                    assertThat(refused.why()).isIn(Refused.Why.NOT_A_FOLDER, Refused.Why.MISSING);
                }
            }
            assertThat(why(() -> top.append("pipe").close()))
                    .isIn(Refused.Why.NOT_A_FILE, Refused.Why.MISSING, Refused.Why.NOT_ALLOWED);
        } finally {
            over.set(true);
            job.join(TimeUnit.SECONDS.toMillis(10));
        }
        assertThat(flipped.get()).isGreaterThan(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "a/../../root-evil", ".", "a/./b", "../root-evil/file"})
    void a_path_has_no_dots_for_names(String path) {
        assertThatThrownBy(() -> Place.of(path)).isInstanceOf(Place.Unspeakable.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..\\root-evil",
                "....",
                "%2e%2e",
                "..%2froot-evil",
                "\u00c0\u00ae\u00c0\u00ae",
                "...",
                "\u00ff",
                "~",
                "a\nb",
                "; ls",
                "-rf",
                "100%"
            })
    void what_looks_like_a_way_out_is_just_a_name(String name) throws IOException {
        try (Folder top = open()) {
            top.make(name);
            assertThat(Names.all(top, 10)).containsExactly(name);
            try (Folder inside = top.folder(Place.of(name))) {
                inside.create("x").close();
            }
            assertThat(top.found(name).isFolder()).isTrue();
        }
        try (var beside = Files.list(disk)) {
            assertThat(beside).hasSize(2);
        }
        assertThat(Place.decoded(Place.encoded(name))).isEqualTo(name);
    }

    @Test
    void names_of_any_bytes_are_kept_as_they_are() throws IOException {
        List<String> names = new ArrayList<>();
        for (int one = 1; one < 256; one++) {
            if (one != '/' && one != '.') {
                names.add(String.valueOf((char) one));
            }
        }
        names.add("x".repeat(255));
        names.add(Place.raw("\u202Egpj.\u6587\u4EF6"));
        names.sort(null);
        try (Folder top = open()) {
            for (String name : names) {
                top.create(name).close();
            }
            assertThat(Names.all(top, 1_000)).isEqualTo(names);
            assertThat(top.has("x".repeat(255))).isTrue();
        }
        assertThat(Place.shown("a\u00ffb")).isEqualTo("a\\xffb");
        assertThatThrownBy(() -> Place.of("x".repeat(256))).isInstanceOf(Place.Unspeakable.class);
    }

    @Test
    void a_page_goes_on_behind_the_name_before() throws IOException {
        for (int i = 0; i < 100; i++) {
            Files.createFile(root.resolve("f%02d".formatted(i)));
        }
        try (Folder top = open()) {
            Names.Page first = Names.page(top, null, 30);
            assertThat(first.names()).hasSize(30).startsWith("f00").endsWith("f29");
            assertThat(first.more()).isTrue();
            assertThat(first.total()).isEqualTo(100);
            Names.Page last = Names.page(top, "f89", 30);
            assertThat(last.names()).hasSize(10).startsWith("f90");
            assertThat(last.more()).isFalse();
        }
    }

    @Test
    void a_walk_meets_all_of_a_folder_that_has_more_names_than_are_held() throws IOException {
        Path large = Files.createDirectories(root.resolve("a/large"));
        Files.writeString(root.resolve("b"), "");
        for (int i = 0; i < 10_050; i++) {
            Files.createFile(large.resolve("f" + i));
        }
        try (Walk walk = new Walk(open(), 20_000)) {
            while (walk.next() != null) {
                assertThat(walk.leftOut()).isEmpty();
            }
            assertThat(walk.met()).isEqualTo(10_053);
        }
        try (Walk walk = new Walk(open(), 100)) {
            assertThat(why(() -> {
                        while (walk.next() != null) {
                            assertThat(walk.met()).isLessThanOrEqualTo(100);
                        }
                    }))
                    .isEqualTo(Refused.Why.TOO_MANY);
        }
    }

    @Test
    void a_folder_is_closed_once_and_not_used_after() throws IOException {
        Folder folder = open();
        folder.close();
        // the number is the next one's now
        try (Folder other = open()) {
            folder.close();
            assertThatThrownBy(() -> folder.found("x")).isInstanceOf(IllegalStateException.class);
            assertThat(other.has("x")).isFalse();
        }
    }

    @Test
    void what_has_a_name_keeps_it() throws IOException {
        Files.writeString(root.resolve("a"), "a");
        Files.writeString(root.resolve("b"), "b");
        try (Folder top = open()) {
            assertThat(why(() -> top.move("a", top, "b"))).isEqualTo(Refused.Why.EXISTS);
            assertThat(why(() -> top.move("c", top, "d"))).isEqualTo(Refused.Why.MISSING);
            assertThat(why(() -> top.create("b").close())).isEqualTo(Refused.Why.EXISTS);
            top.replace("a", top, "b");
        }
        assertThat(root.resolve("b")).hasContent("a");
    }

    @Test
    void the_tree_itself_may_not_be_a_link() throws IOException {
        Path link = Files.createSymbolicLink(disk.resolve("home"), secret);
        assertThat(why(() -> Folder.open(link, Owner.GATEWAY).close())).isEqualTo(Refused.Why.LINK);
    }

    @Test
    void a_link_is_told_as_such_and_a_socket_is_not_opened() throws Exception {
        Files.createSymbolicLink(root.resolve("link"), Path.of("/etc/passwd"));
        try (var socket = java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            socket.bind(java.net.UnixDomainSocketAddress.of(root.resolve("s")));
            try (Folder top = open()) {
                assertThat(top.found("link").kind()).isEqualTo(Found.Kind.LINK);
                assertThat(why(() -> top.read("link").close())).isEqualTo(Refused.Why.LINK);
                assertThat(why(() -> top.folder("link").close())).isEqualTo(Refused.Why.LINK);
                assertThat(why(() -> top.read("s").close())).isEqualTo(Refused.Why.NOT_A_FILE);
            }
        }
    }

    @Test
    void an_owner_has_their_own_rights_and_no_more() throws IOException {
        assumeThat(System.getProperty("user.name"))
                .as("only root acts as others")
                .isEqualTo("root");
        Files.setAttribute(root, "unix:uid", SOMEBODY);
        Files.setAttribute(root, "unix:gid", SOMEBODY);
        Path closed = Files.writeString(root.resolve("closed"), "root's");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));
        Path others = Files.createDirectory(root.resolve("others"));
        Files.createLink(root.resolve("hard"), Files.writeString(disk.resolve("readable"), "all may read"));
        var owner = Owner.of(root);
        assertThat(owner).isEqualTo(new Owner(SOMEBODY, SOMEBODY));
        try (Folder top = Folder.open(root, owner)) {
            try (FileChannel made = top.create("mine")) {
                assertThat(made.isOpen()).isTrue();
            }
            top.make("folder");
            assertThat(why(() -> top.read("closed").close())).isEqualTo(Refused.Why.NOT_ALLOWED);
            assertThat(why(() -> top.read("hard").close())).isEqualTo(Refused.Why.NOT_ALLOWED);
            try (Folder inside = top.folder("others")) {
                assertThat(why(() -> inside.create("x").close())).isEqualTo(Refused.Why.NOT_ALLOWED);
            }
        }
        for (String name : List.of("mine", "folder")) {
            assertThat(Files.readAttributes(root.resolve(name), "unix:uid,gid", LinkOption.NOFOLLOW_LINKS))
                    .containsEntry("uid", SOMEBODY)
                    .containsEntry("gid", SOMEBODY);
        }
        assertThat(others).isEmptyDirectory();
        Files.writeString(disk.resolve("after"), "this thread is root again");
        assertThat(Files.getAttribute(disk.resolve("after"), "unix:uid")).isEqualTo(0);
    }

    @Test
    void what_an_administrator_has_linked_in_a_tree_of_theirs_is_read() throws IOException {
        assumeThat(System.getProperty("user.name"))
                .as("only root acts as others")
                .isEqualTo("root");
        Files.createLink(root.resolve("hard"), Files.writeString(disk.resolve("readable"), "all may read"));
        Path closed = Files.writeString(disk.resolve("closed"), "root's");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));
        Files.createLink(root.resolve("closed"), closed);
        try (Folder top = Folder.open(root, new Owner(SOMEBODY, SOMEBODY))) {
            assertThat(text(top.read("hard"))).isEqualTo("all may read");
            assertThat(why(() -> top.read("closed").close())).isEqualTo(Refused.Why.NOT_ALLOWED);
        }
    }

    @Test
    void a_full_disk_is_known_as_that_whatever_language_the_system_says_it_in() {
        IOException full = org.assertj.core.api.Assertions.catchThrowableOfType(
                IOException.class, () -> Files.writeString(Path.of("/dev/full"), "x"));
        assertThat(Refused.isFull(full)).isTrue();
        assertThat(Refused.isFull(new IOException("other"))).isFalse();
    }

    @Test
    void nothing_stays_open() throws IOException {
        Files.createDirectories(root.resolve("a/b/c"));
        Files.writeString(root.resolve("a/b/c/f"), "x");
        long before = open(root);
        try (Folder top = open()) {
            for (int i = 0; i < 50; i++) {
                try (Folder folder = top.folder(Place.of("a/b/c"))) {
                    text(folder.read("f"));
                    Names.all(folder, 10);
                }
                assertThat(why(() -> top.folder(Place.of("a/b/none")).close())).isEqualTo(Refused.Why.MISSING);
            }
        }
        assertThat(open(root)).isEqualTo(before);
    }

    /** Descriptors that lead into the tree. */
    private static long open(Path root) throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(one -> {
                        try {
                            return Files.readSymbolicLink(one).startsWith(root);
                        } catch (IOException gone) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    /** As the files of one input come at the same time, and several of them are the first in their folder. */
    @Test
    void folders_that_several_make_at_the_same_time_are_made_for_all_of_them() throws Exception {
        try (Folder top = open();
                var threads = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < ROUNDS / 10; round++) {
                Place place = Place.of("round" + round + "/within");
                Callable<Void> make = () -> {
                    top.made(place).close();
                    return null;
                };
                for (var made : threads.invokeAll(Collections.nCopies(4, make))) {
                    made.get();
                }
            }
        }
    }
}
