package io.sluice.files.unpacking;

import static io.sluice.files.unpacking.Crafted.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.space.Merging.Collisions;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.unpacking.BadArchive.Why;
import io.sluice.files.unpacking.Crafted.Tar;
import io.sluice.files.unpacking.Crafted.Zip;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What becomes of archives that are as they should be. */
class UnpackingTest extends UnpackingDesk {
    @Test
    void what_is_packed_comes_out_as_it_was() throws IOException {
        byte[] large = random(700_000);
        Map<String, byte[]> archives = Map.of(
                "zip",
                        new Zip()
                                .file("a/b.txt", "text")
                                .file("large", large)
                                .method(0)
                                .file("plain", "as it is")
                                .done(),
                "zip64",
                        new Zip()
                                .wide()
                                .file("a/b.txt", "text")
                                .file("large", large)
                                .file("plain", "as it is")
                                .done(),
                "tar", tar(large),
                "tgz", Crafted.gz(tar(large)),
                "txz", Crafted.xz(tar(large), 1));
        for (var archive : archives.entrySet()) {
            unpack(archive.getValue(), archive.getKey(), null);
            Path made = home.resolve(archive.getKey());
            assertThat(all(made)).containsExactly("a", "a/b.txt", "large", "plain");
            assertThat(made.resolve("a/b.txt")).hasContent("text");
            assertThat(made.resolve("plain")).hasContent("as it is");
            assertThat(Files.readAllBytes(made.resolve("large"))).isEqualTo(large);
            assertThat(takenFiles).isEqualTo(4);
            assertThat(takenBytes).isEqualTo(700_012);
        }
        assertThat(Files.getLastModifiedTime(home.resolve("tar/plain")).toMillis())
                .isEqualTo(1_600_000_000_000L);
    }

    private static byte[] tar(byte[] large) {
        return new Tar()
                .folder("./")
                .folder("./a/")
                .file("./a/b.txt", "text")
                .entry('0', "large", "", 0644, large, large.length)
                .file("plain", "as it is")
                .done();
    }

    @Test
    void spellings_that_are_only_names_stay_names() throws IOException {
        List<String> names = List.of(
                "%2e%2e%2fevil", "....", "..evil", "\u00c0\u00ae\u00c0\u00ae", ";", "a\nb", "\u00ff", "back\\slash");
        var zip = new Zip();
        var tar = new Tar();
        names.forEach(name -> {
            zip.file(name, name);
            tar.file(name, name);
        });
        for (byte[] archive : List.of(zip.done(), tar.done())) {
            unpack(archive, "new", null);
            for (String name : names) {
                try (var file = space.read(Place.of("new").with(name))) {
                    assertThat(file.channel().size()).as(name).isEqualTo(name.length());
                }
            }
            assertThat(space.list(Place.of("new"), null, 100).total()).isEqualTo(names.size());
            new io.sluice.files.space.Bin(space).destroy(Place.of("new"), moved -> {});
        }
    }

    @Test
    void names_of_windows_are_read_as_they_were_meant() throws IOException {
        String chinese = new String("数据\\说明.txt".getBytes(Charset.forName("GB18030")), StandardCharsets.ISO_8859_1);
        String german = new String("größe".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        unpack(new Zip().from(0).file(chinese, "1").file(german, "2").done());
        assertThat(all(home.resolve("new"))).containsExactlyInAnyOrder("größe", "数据", "数据/说明.txt");
    }

    @Test
    void nobody_becomes_more_by_what_is_packed() throws IOException {
        byte[] tar = new Tar()
                .entry('0', "as-root", "", 06777, bytes("1"), 1)
                .entry('5', "closed", "", 0700, new byte[0], 0)
                .entry('0', "closed/unreadable", "", 0, bytes("1"), 1)
                .entry('5', "locked", "", 0555, new byte[0], 0)
                .file("locked/in", "1")
                .done();
        unpack(tar);
        Path made = home.resolve("new");
        assertThat((int) Files.getAttribute(made.resolve("as-root"), "unix:mode") & 07777)
                .isEqualTo(0755);
        assertThat(Files.getPosixFilePermissions(made.resolve("closed")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getPosixFilePermissions(made.resolve("closed/unreadable")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(made.resolve("locked/in")).exists();
    }

    @Test
    void nobody_else_sees_more_than_was_packed_for_them() throws IOException {
        byte[] tar = new Tar()
                .folder("./")
                .file("late/secret", "1")
                .entry('5', "late", "", 0700, new byte[0], 0)
                .entry('5', "group", "", 02750, new byte[0], 0)
                .entry('0', "group/secret", "", 0600, bytes("1"), 1)
                .entry('5', "none", "", 0, new byte[0], 0)
                .folder("open/")
                .done();
        Files.write(home.resolve("archive"), tar);
        List<String> asides = new ArrayList<>();
        Unpacking.unpack(space, Place.of("archive"), Place.of("new"), null, room, moved -> asides.add(aside()));
        assertThat(asides).hasSizeGreaterThan(6).containsOnly("rwx------");
        Path made = home.resolve("new");
        assertThat(rights(made)).isEqualTo("rwxr-xr-x");
        assertThat(rights(made.resolve("late"))).isEqualTo("rwx------");
        assertThat(rights(made.resolve("group"))).isEqualTo("rwxr-x---");
        assertThat(rights(made.resolve("group/secret"))).isEqualTo("rw-------");
        assertThat(rights(made.resolve("none"))).isEqualTo("rwx------");
        assertThat(rights(made.resolve("open"))).isEqualTo("rwxr-xr-x");

        unpack(
                new Tar()
                        .entry('5', "./", "", 0700, new byte[0], 0)
                        .file("a", "1")
                        .done(),
                "closed",
                null);
        assertThat(rights(home.resolve("closed"))).isEqualTo("rwx------");
    }

    private String aside() throws IOException {
        try (Stream<Path> all = Files.list(home.resolve(".sluice/temporary"))) {
            return rights(all.findFirst().orElseThrow());
        }
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void what_has_been_put_in_its_place_goes_back_whatever_breaks_it_off() throws IOException {
        Files.createDirectories(home.resolve("into/both"));
        Files.writeString(home.resolve("into/both/same"), "old");
        byte[] tar =
                new Tar().file("a", "1").file("both/same", "new").file("z", "1").done();
        Files.write(home.resolve("archive"), tar);
        assertThatThrownBy(() -> Unpacking.unpack(
                        space, Place.of("archive"), Place.of("into"), Collisions.REPLACE, room, moved -> {
                            if (Files.readString(home.resolve("into/both/same")).equals("new")) {
                                throw new StackOverflowError("nobody foresaw this");
                            }
                        }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(all(home.resolve("into"))).containsExactly("both", "both/same");
        assertThat(home.resolve("into/both/same")).hasContent("old");
        assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
    }

    @Test
    void what_somebody_makes_deeper_meanwhile_is_not_followed_down() throws IOException {
        Files.write(home.resolve("archive"), new Tar().file("d/f", "1").done());
        Path deep = Files.createDirectories(home.resolve("into/d/" + "d/".repeat(300)));
        assertThatThrownBy(() -> Unpacking.unpack(
                        space, Place.of("archive"), Place.of("into"), Collisions.REPLACE, room, moved -> {
                            try (Stream<Path> all = Files.list(home.resolve(".sluice/temporary"))) {
                                Path aside = all.findFirst().orElseThrow();
                                if (Files.exists(aside.resolve("d/f"))) {
                                    Files.createDirectories(aside.resolve("d/" + "d/".repeat(300)));
                                }
                            }
                        }))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("TOO_MANY");
        assertThat(deep).isEmptyDirectory();
        assertThat(home.resolve("into/d/f")).doesNotExist();
    }

    @Test
    void what_is_there_already_stays_goes_or_keeps_all_of_it_away() throws IOException {
        Files.createDirectories(home.resolve("into/both"));
        Files.writeString(home.resolve("into/both/same"), "old");
        Files.writeString(home.resolve("into/other"), "other");
        byte[] tar = new Tar()
                .file("both/same", "new")
                .file("both/fresh", "f")
                .file("z/y", "z")
                .done();

        assertThatThrownBy(() -> unpack(tar, "into", null))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("EXISTS");
        assertThatThrownBy(() -> unpack(tar, "into", Collisions.REFUSE))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("EXISTS same");
        assertThat(all(home.resolve("into"))).containsExactly("both", "both/same", "other");
        unpack(tar, "into", Collisions.KEEP);
        assertThat(home.resolve("into/both/same")).hasContent("old");
        assertThat(home.resolve("into/both/fresh")).hasContent("f");
        unpack(tar, "into", Collisions.REPLACE);
        assertThat(home.resolve("into/both/same")).hasContent("new");
        assertThat(all(home.resolve("into"))).containsExactly("both", "both/fresh", "both/same", "other", "z", "z/y");
        assertThatThrownBy(() -> unpack(new Tar().file("z", "1").file("a", "1").done(), "into", Collisions.REPLACE))
                .isInstanceOf(Refused.class);
        assertThat(home.resolve("into/a")).doesNotExist();
        assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
    }

    @Test
    void what_is_the_file_centre_s_own_is_nobody_s_to_unpack_over() throws IOException {
        byte[] tar = new Tar().file(".sluice/bin/evil", "1").done();
        assertThatThrownBy(() -> unpack(tar, "", Collisions.REPLACE))
                .isInstanceOfSatisfying(
                        BadArchive.class, bad -> assertThat(bad.why()).isEqualTo(Why.OWN));
        unpack(tar);
        assertThat(home.resolve("new/.sluice/bin/evil")).exists();
        assertThatThrownBy(() -> unpack(tar, ".sluice/new", null)).isInstanceOf(Refused.class);
    }

    @Test
    void a_link_in_the_way_is_not_followed() throws IOException {
        Path outside = Files.createDirectory(around.resolve("outside"));
        Files.createSymbolicLink(home.resolve("way"), outside);
        byte[] tar = new Tar().file("way/evil", "1").done();
        for (Collisions collisions : List.of(Collisions.REFUSE, Collisions.REPLACE)) {
            assertThatThrownBy(() -> unpack(tar, "", collisions)).isInstanceOf(Refused.class);
        }
        unpack(tar, "", Collisions.KEEP);
        assertThatThrownBy(() -> unpack(tar, "way", Collisions.KEEP)).isInstanceOf(Refused.class);
        assertThat(all(outside)).isEmpty();
        assertThat(Files.isSymbolicLink(home.resolve("way"))).isTrue();
    }

    @Test
    void what_is_stopped_leaves_nothing() throws IOException {
        Files.write(home.resolve("archive"), tar(random(700_000)));
        List<Long> heard = new ArrayList<>();
        assertThatThrownBy(() -> Unpacking.unpack(space, Place.of("archive"), Place.of("new"), null, room, moved -> {
                    heard.add(moved);
                    if (heard.size() > 3) {
                        throw new IOException("no more");
                    }
                }))
                .hasMessage("no more");
        assertThat(all(home)).containsExactly("archive");
        assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
        assertThat(Files.exists(home.resolve("new"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    }
}
