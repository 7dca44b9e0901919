package io.sluice.files.unpacking;

import static io.sluice.files.unpacking.Crafted.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.files.space.Merging.Collisions;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.unpacking.BadArchive.Why;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who unpacks, in a home of their own. */
abstract class UnpackingDesk {
    @TempDir
    Path around;

    Path home;
    Space space;
    long takenBytes;
    long takenFiles;
    long most = Long.MAX_VALUE;

    @BeforeEach
    void begin() throws IOException {
        home = Files.createDirectory(around.resolve("home"));
        Files.writeString(around.resolve("canary"), "what lies outside");
        space = new Space(home, Owner.of(home), true);
    }

    final Unpacking.Room room = new Unpacking.Room() {
        @Override
        public void take(long bytes, long files) throws IOException {
            takenBytes += bytes;
            takenFiles += files;
            if (takenBytes > most) {
                throw new Refused(Refused.Why.FULL, "");
            }
        }

        @Override
        public void heavy() {}
    };

    void unpack(byte[] archive, String to, @Nullable Collisions collisions) throws IOException {
        Files.write(home.resolve("archive"), archive);
        takenBytes = 0;
        takenFiles = 0;
        Unpacking.unpack(space, Place.of("archive"), Place.of(to), collisions, room, moved -> {});
    }

    void unpack(byte[] archive) throws IOException {
        unpack(archive, "new", null);
    }

    List<String> all(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(path -> folder.relativize(path).toString())
                    .filter(name -> !name.isEmpty() && !name.startsWith(".sluice"))
                    .sorted()
                    .toList();
        }
    }

    /** Nothing of it is anywhere, and it is told at which entry it was. */
    String refused(byte[] archive, Why why) {
        BadArchive bad = catchThrowableOfType(BadArchive.class, () -> unpack(archive));
        assertThat(bad).as(why.name()).isNotNull();
        assertThat(bad.why()).as(bad.said()).isEqualTo(why);
        try {
            assertThat(all(home)).containsExactly("archive");
            assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
            assertThat(all(around)).doesNotContain("evil");
            assertThat(Files.readString(around.resolve("canary"))).isEqualTo("what lies outside");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bad.said();
    }

    static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }
}
