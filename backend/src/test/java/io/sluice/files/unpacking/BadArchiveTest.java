package io.sluice.files.unpacking;

import static io.sluice.files.unpacking.Crafted.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.unpacking.BadArchive.Why;
import io.sluice.files.unpacking.Crafted.Tar;
import io.sluice.files.unpacking.Crafted.Zip;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What becomes of archives that somebody has made to do harm, or that were harmed. */
class BadArchiveTest extends UnpackingDesk {
    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 200);

    @Test
    void no_spelling_of_a_way_out_leads_out() {
        Map<String, Why> ways = Map.ofEntries(
                Map.entry("../evil", Why.OUTSIDE),
                Map.entry("a/../../evil", Why.OUTSIDE),
                Map.entry("a/..", Why.OUTSIDE),
                Map.entry("..", Why.OUTSIDE),
                Map.entry("..\\evil", Why.OUTSIDE),
                Map.entry("a\\..\\..\\evil", Why.OUTSIDE),
                Map.entry("a/..\\..\\evil", Why.OUTSIDE),
                Map.entry("/evil", Why.ABSOLUTE),
                Map.entry("//evil", Why.ABSOLUTE),
                Map.entry("\\evil", Why.ABSOLUTE),
                Map.entry("C:\\evil", Why.ABSOLUTE),
                Map.entry("c:/evil", Why.ABSOLUTE),
                Map.entry("a/" + "x".repeat(256), Why.NAME),
                Map.entry("x/".repeat(201) + "x", Why.NAME),
                Map.entry(("x".repeat(200) + "/").repeat(21) + "x", Why.NAME));
        ways.forEach((way, why) -> {
            String shown = way.substring(0, Math.min(20, way.length()));
            assertThat(refused(new Zip().file("before", "1").file(way, "x").done(), why))
                    .startsWith("\"" + shown);
            assertThat(refused(new Zip().from(0).file(way, "x").done(), why)).isNotEmpty();
            assertThat(refused(
                            new Tar()
                                    .file("before", "1")
                                    .says("path", way)
                                    .file("short", "x")
                                    .done(),
                            why))
                    .startsWith("\"" + shown);
            if (way.length() < 100) {
                assertThat(refused(new Tar().file("before", "1").file(way, "x").done(), why))
                        .startsWith("\"" + shown);
            }
        });
        refused(new Tar().says("path", "a\0b").file("short", "x").done(), Why.NAME);
        refused(new Zip().file("a\0b", "x").done(), Why.NAME);
    }

    @Test
    void links_within_are_made_and_none_leads_out_or_is_a_way() throws IOException {
        byte[] tar = new Tar()
                .file("a/file", "text")
                .link("a/same", "file")
                .link("b/up", "../a/./file")
                .link("all", "a/")
                .twin("twin", "a/file")
                .done();
        unpack(tar);
        assertThat(Files.readSymbolicLink(home.resolve("new/a/same"))).hasToString("file");
        assertThat(Files.readSymbolicLink(home.resolve("new/b/up"))).hasToString("../a/file");
        assertThat(home.resolve("new/b/up")).hasContent("text");
        assertThat(home.resolve("new/all/file")).hasContent("text");
        assertThat(home.resolve("new/twin")).hasContent("text");
        new io.sluice.files.space.Bin(space).destroy(Place.of("new"), moved -> {});

        for (String target : List.of("/etc/passwd", "..", "../canary", "x/../../canary", "a/..", "", "../..", "//x")) {
            assertThat(refused(new Tar().file("a/f", "1").link("way", target).done(), Why.LINK))
                    .startsWith("\"way\"");
            if (!target.isEmpty()) {
                refused(new Zip().file("a/f", "1").link("way", target).done(), Why.LINK);
            }
        }
        refused(new Tar().link("a/way", "../../canary").done(), Why.LINK);
        refused(new Tar().link("here", ".").link("out", "here/../canary").done(), Why.LINK);
        assertThat(refused(
                        new Tar()
                                .link("way", "a")
                                .file("way/evil", "1")
                                .file("a/b", "1")
                                .done(),
                        Why.TWICE))
                .startsWith("\"way\"");
        refused(new Zip().link("way", "a").file("way/evil", "1").done(), Why.TWICE);
        refused(
                new Tar()
                        .file("a/f", "1")
                        .link("way", "a")
                        .twin("twin", "way/f")
                        .done(),
                Why.HARD_LINK);
        refused(new Tar().twin("twin", "../canary").done(), Why.OUTSIDE);
        refused(new Tar().twin("twin", "/etc/passwd").done(), Why.ABSOLUTE);
        refused(new Tar().twin("twin", "nothing").done(), Why.HARD_LINK);
        refused(new Tar().folder("a/").twin("twin", "a").done(), Why.HARD_LINK);
        refused(new Tar().twin("twin", ".").done(), Why.HARD_LINK);
    }

    @Test
    void what_is_no_file_is_refused_by_its_name() {
        for (char kind : "346S".toCharArray()) {
            String said = refused(
                    new Tar()
                            .file("good", "1")
                            .entry(kind, "odd", "", 0644, new byte[0], 0)
                            .done(),
                    kind == 'S' ? Why.SPARSE : Why.SPECIAL);
            assertThat(said).startsWith("\"odd\"");
        }
        refused(new Zip().entry("pipe", new byte[0], 0010644).done(), Why.SPECIAL);
        refused(new Zip().entry("device", new byte[0], 0020644).done(), Why.SPECIAL);
        refused(new Tar().says("GNU.sparse.major", "1").file("holes", "1").done(), Why.SPARSE);
    }

    @Test
    void one_name_twice_is_refused() {
        refused(new Tar().file("a", "1").file("a", "2").done(), Why.TWICE);
        refused(new Tar().file("a", "1").file("./a", "2").done(), Why.TWICE);
        refused(new Zip().file("a", "1").file("a", "2").done(), Why.TWICE);
        refused(new Tar().file("a", "1").file("a/b", "2").done(), Why.TWICE);
        refused(new Tar().file("a/b", "1").file("a", "2").done(), Why.TWICE);
    }

    @Test
    void lies_cuts_and_damage_are_told() {
        byte[] zip = new Zip()
                .file("first", random(5_000))
                .file("second", random(5_000))
                .done();
        byte[] tar = new Tar()
                .file("first", "1".repeat(5_000))
                .file("second", "2".repeat(5_000))
                .done();
        for (int cut : List.of(1, 600, 5_000, 5_700, 9_000, 11_300)) {
            BadArchive bad = catchThrowableOfType(
                    BadArchive.class, () -> unpack(Arrays.copyOf(tar, Math.min(cut, tar.length - 1100))));
            assertThat(bad.why()).as("" + cut).isIn(Why.CUT, Why.UNKNOWN);
            assertThatThrownBy(() -> unpack(Arrays.copyOf(zip, Math.min(cut, zip.length - 1))))
                    .isInstanceOf(BadArchive.class);
        }
        byte[] tgz = Crafted.gz(tar);
        for (int end = 1; end < 12; end++) {
            byte[] part = Arrays.copyOf(tgz, tgz.length - end);
            assertThatThrownBy(() -> unpack(part)).isInstanceOf(BadArchive.class);
        }
        byte[] otherSum = tgz.clone();
        otherSum[tgz.length - 6] ^= 1;
        refused(otherSum, Why.DAMAGED);
        byte[] otherByte = new Zip().method(0).file("first", "a".repeat(100)).done();
        otherByte[60] ^= 1;
        assertThat(refused(otherByte, Why.CHECKSUM)).startsWith("\"first\"");
        refused(new Zip().lying(1).file("long", "a".repeat(100)).done(), Why.DAMAGED);
        refused(new Zip().lying(-1).file("short", "a".repeat(100)).done(), Why.DAMAGED);
        refused(new Zip().method(0).lying(-1).file("short", "a".repeat(100)).done(), Why.DAMAGED);
        refused(new Zip().wide().lying(1L << 62).file("huge", "a").done(), Why.TOO_LARGE);
        refused(new Zip().named("other").file("first", "1").done(), Why.DAMAGED);
        refused(new Tar().entry('0', "long", "", 0644, bytes("1"), 1L << 32).done(), Why.CUT);
        refused(new Tar().file("first", "1").cut(), Why.CUT);
        refused(new Zip().flags(1).file("locked", "1").done(), Why.LOCKED);
        refused(new Zip().method(12).file("other", "1").done(), Why.METHOD);
        refused(bytes("BZh91AY&SY"), Why.UNKNOWN);
        refused(new byte[0], Why.UNKNOWN);
        refused(Crafted.gz(bytes("a text that somebody has packed")), Why.UNKNOWN);
    }

    @Test
    void bombs_go_off_nowhere() {
        var shared = new Zip().file("a", random(9_000));
        byte[] twice = shared.done();
        // two entries of one content: more is told to be packed than there is
        int list = twice.length - 22 - 47;
        byte[] doubled = new byte[twice.length + 47];
        System.arraycopy(twice, 0, doubled, 0, list + 47);
        System.arraycopy(twice, list, doubled, list + 47, 47 + 22);
        int end = doubled.length - 22;
        doubled[end + 8] = 2;
        doubled[end + 10] = 2;
        doubled[end + 12] = 94;
        refused(doubled, Why.DAMAGED);

        assertThat(refused(new Zip().again(140).file("zeros", new byte[8 << 20]).done(), Why.TOO_LARGE))
                .contains("200 times");
        most = 20 << 20;
        assertThatThrownBy(() -> unpack(Crafted.gz(new Tar()
                        .entry('0', "zeros", "", 0644, new byte[40 << 20], 40 << 20)
                        .done())))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("FULL");
        assertThat(home.resolve("new")).doesNotExist();
        refused(dictionary(), Why.MEMORY);
    }

    @Test
    void what_stands_before_an_entry_is_bounded_however_it_is_cut() throws IOException {
        var many = new Tar().file("first", "1");
        for (int i = 0; i < 1_100; i++) {
            many.says("SCHILY.xattr.user." + i, "x".repeat(500));
        }
        assertThat(refused(Crafted.gz(many.file("last", "1").done()), Why.HEADERS))
                .startsWith("\"first\"");
        var empty = new Tar().file("first", "1");
        for (int i = 0; i < 2_100; i++) {
            empty.entry('x', "pax", "", 0644, new byte[0], 0);
        }
        refused(empty.file("last", "1").done(), Why.HEADERS);
        refused(
                new Tar()
                        .entry('L', "long", "", 0644, new byte[1 << 20], 1 << 20)
                        .done(),
                Why.HEADERS);

        var each = new Tar();
        for (int i = 0; i < 20; i++) {
            each.says("SCHILY.xattr.user.large", "x".repeat(100_000)).file("f" + i, "1");
        }
        unpack(each.done());
        assertThat(all(home.resolve("new"))).hasSize(20);
    }

    /** An xz that asks for 1 GiB before its first byte. */
    private static byte[] dictionary() {
        byte[] xz = Crafted.xz(new Tar().file("a", "1").done(), 1);
        xz[16] = 36;
        var sum = new java.util.zip.CRC32();
        sum.update(xz, 12, 8);
        for (int i = 0; i < 4; i++) {
            xz[20 + i] = (byte) (sum.getValue() >> (8 * i));
        }
        return xz;
    }

    @Test
    void whatever_bytes_are_others_it_is_told_or_does_no_harm() throws IOException {
        var chance = new Random(ROUNDS);
        byte[] tar = new Tar()
                .says("path", "a/long")
                .file("x", "1")
                .link("a/link", "long")
                .twin("twin", "a/long")
                .done();
        List<byte[]> archives = List.of(
                new Zip()
                        .file("a/b", "text")
                        .link("link", "a/b")
                        .wide()
                        .file("c", "more")
                        .done(),
                tar,
                Crafted.gz(tar),
                Crafted.xz(tar, 1));
        for (int round = 0; round < ROUNDS; round++) {
            byte[] other = archives.get(round % archives.size()).clone();
            for (int i = 0; i <= round % 3; i++) {
                other[chance.nextInt(Math.min(other.length, 3_000))] = (byte) chance.nextInt();
            }
            try {
                unpack(other, "new-" + round, null);
            } catch (BadArchive | Refused told) {
                assertThat(home.resolve("new-" + round)).as(told.getMessage()).doesNotExist();
            }
            assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
        }
        assertThat(Files.readString(around.resolve("canary"))).isEqualTo("what lies outside");
    }

    @Test
    void what_is_no_archive_after_all_is_closed() throws IOException {
        Path file = Files.write(home.resolve("a.gz"), Crafted.gz(bytes("a text that somebody has packed")));
        try (FileChannel channel = FileChannel.open(file)) {
            assertThatThrownBy(() -> Opened.of(channel, 1_000_000, room)).isInstanceOf(BadArchive.class);
            assertThat(channel.isOpen()).as("closed with what unpacks it").isFalse();
        }
    }
}
