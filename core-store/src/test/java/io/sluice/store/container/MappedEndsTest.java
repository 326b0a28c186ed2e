package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedEndsTest {
    @TempDir
    private Path folder;

    private MappedEnds open() throws IOException {
        return MappedEnds.open(folder.resolve("sub").resolve("3"));
    }

    @Test
    void outlivesWhoWroteIt() throws IOException {
        MappedEnds ends = open();
        assertThat(ends.last()).isEmpty();
        int first = ends.acknowledged(AcknowledgedEnds.NO_PLACE, 0, 10);
        int second = ends.acknowledged(AcknowledgedEnds.NO_PLACE, 1L << 40, 20);
        assertThat(ends.acknowledged(first, 0, 15)).isEqualTo(first);
        assertThat(second).isNotEqualTo(first);
        assertThat(open().last()).isEqualTo(Map.of(0L, 15L, 1L << 40, 20L));
    }

    @Test
    void growsWithItsSegments() throws IOException {
        MappedEnds ends = open();
        for (long segment = 0; segment < 10_000; segment++) {
            ends.acknowledged(AcknowledgedEnds.NO_PLACE, segment, 2 * segment);
        }
        assertThat(open().last()).hasSize(10_000).containsEntry(9_999L, 19_998L);
        ends.begin();
        assertThat(open().last()).isEmpty();
        ends.acknowledged(AcknowledgedEnds.NO_PLACE, 7, 1);
        assertThat(open().last()).isEqualTo(Map.of(7L, 1L));
    }

    @Test
    void whatIsDeletedCannotBeLost() throws IOException {
        MappedEnds ends = open();
        ends.acknowledged(AcknowledgedEnds.NO_PLACE, 1, 10);
        ends.acknowledged(AcknowledgedEnds.NO_PLACE, 2, 10);
        MappedEnds next = open();
        next.deleted(1);
        assertThat(open().last()).isEqualTo(Map.of(1L, 0L, 2L, 10L));
    }

    @Test
    void countsOnlyIfTheTermBeforeWasTakenOverWithIt() throws IOException {
        // of a server that did not keep the term yet
        open().acknowledged(AcknowledgedEnds.NO_PLACE, 1, 10);
        MappedEnds ends = open();
        ends.takenOver(5);
        assertThat(ends.last()).isEqualTo(Map.of(1L, 10L));
        // a term whose recovery failed
        ends = open();
        ends.takenOver(6);
        assertThat(ends.last()).isEqualTo(Map.of(1L, 10L));
        ends = open();
        ends.takenOver(8);
        assertThat(ends.last()).isEmpty();
        ends.acknowledged(AcknowledgedEnds.NO_PLACE, 2, 20);
        ends = open();
        ends.takenOver(9);
        assertThat(ends.last()).isEqualTo(Map.of(2L, 20L));
    }

    @Test
    void aNewerOneIsRefused() throws IOException {
        Path file = folder.resolve("ends");
        Files.write(file, new byte[] {0, 0, 0, 0, 0, 0, 0, 9});
        assertThatThrownBy(() -> MappedEnds.open(file)).hasMessageContaining("version 9");
    }
}
