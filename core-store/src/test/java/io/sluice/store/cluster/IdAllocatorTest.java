package io.sluice.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IdAllocatorTest {
    private final InMemoryMetadata metadata = new InMemoryMetadata();

    @Test
    void risesWithoutGapInOneProcess() throws IOException {
        IdAllocator ids = new IdAllocator(metadata, "segments", 3);
        for (long expected = 1; expected <= 10; expected++) {
            assertThat(ids.next()).isEqualTo(expected);
        }
    }

    @Test
    void nodesNeverShareANumber() throws IOException {
        IdAllocator one = new IdAllocator(metadata, "segments", 4);
        IdAllocator two = new IdAllocator(metadata, "segments", 4);
        List<Long> seen = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            seen.add(one.next());
            seen.add(two.next());
        }
        assertThat(seen).doesNotHaveDuplicates();
    }

    @Test
    void withoutBlocksTheyRiseOverAllNodes() throws IOException {
        IdAllocator one = new IdAllocator(metadata, "segments", 1);
        IdAllocator two = new IdAllocator(metadata, "segments", 1);
        List<Long> seen = List.of(one.reserve(3), two.next(), one.next(), one.reserve(5), two.reserve(2), one.next());
        assertThat(seen).containsExactly(1L, 4L, 5L, 6L, 11L, 13L);
    }

    @Test
    void aRestartNeverGoesBack() throws IOException {
        long before = new IdAllocator(metadata, "segments", 100).next();
        assertThat(new IdAllocator(metadata, "segments", 100).next()).isGreaterThan(before);
        assertThat(new IdAllocator(metadata, "others", 100).next()).isEqualTo(1);
    }

    @Test
    void anAnswerThatWasLostCostsABlockAndNoDuplicate() throws IOException {
        IdAllocator ids = new IdAllocator(metadata, "segments", 10);
        metadata.failNextPut(true);
        assertThatThrownBy(ids::next).isInstanceOf(IOException.class);
        assertThat(ids.next()).isEqualTo(11);
    }
}
