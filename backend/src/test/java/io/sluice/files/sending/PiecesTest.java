package io.sluice.files.sending;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class PiecesTest {
    private static final long MOST = 128 << 20;
    private static final long MUCH = 1L << 40;

    private final AtomicInteger lessened = new AtomicInteger();
    private final Pieces pieces = new Pieces(MOST, lessened::incrementAndGet);

    @Test
    void a_reader_alone_takes_large_pieces_and_no_more_than_it_wants() {
        assertThat(pieces.take(MUCH)).isEqualTo(Pieces.LARGEST);
        assertThat(pieces.take(7)).isEqualTo(7);
        assertThat(pieces.taken()).isEqualTo(Pieces.LARGEST + 7);
        assertThat(lessened).hasValue(0);
    }

    @Test
    void pieces_become_smaller_as_the_memory_fills_but_never_smaller_than_the_smallest() {
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < 2 * pieces.readers(); i++) {
            sizes.add(pieces.take(MUCH));
        }
        assertThat(sizes).isSortedAccordingTo((a, b) -> b - a).contains(Pieces.LARGEST, Pieces.SMALLEST);
        assertThat(sizes).allMatch(size -> size >= Pieces.SMALLEST && size % Pieces.SMALLEST == 0);
        assertThat(pieces.taken()).isLessThanOrEqualTo(MOST);
        assertThat(lessened).hasValue((int)
                sizes.stream().filter(size -> size < Pieces.LARGEST).count());
    }

    @Test
    void what_is_given_back_is_there_for_large_pieces_again() {
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < pieces.readers(); i++) {
            sizes.add(pieces.take(MUCH));
        }
        assertThat(sizes.getLast()).isEqualTo(Pieces.SMALLEST);
        sizes.forEach(pieces::give);
        assertThat(pieces.taken()).isZero();
        assertThat(pieces.take(MUCH)).isEqualTo(Pieces.LARGEST);
    }

    @Test
    void as_many_readers_as_there_may_be_have_two_pieces_each_whatever_others_took_before() throws Exception {
        Callable<List<Integer>> reader = () -> {
            List<Integer> held = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                held.add(pieces.take(ThreadLocalRandom.current().nextLong(1, MUCH)));
                if (held.size() > pieces.readers() / 4 * 2) {
                    pieces.give(held.removeFirst());
                }
                assertThat(pieces.taken()).isLessThanOrEqualTo(MOST);
            }
            return held;
        };
        try (var threads = Executors.newFixedThreadPool(4)) {
            for (Future<List<Integer>> held : threads.invokeAll(List.of(reader, reader, reader, reader))) {
                held.get().forEach(pieces::give);
            }
        }
        assertThat(pieces.taken()).isZero();
    }
}
