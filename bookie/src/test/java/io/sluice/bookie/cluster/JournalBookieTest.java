package io.sluice.bookie.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.bookie.assembly.DataFolderException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ours: the journal as ledger storage. */
final class JournalBookieTest extends BookieContract {
    @Override
    protected RunningBookie.Kind kind() {
        return RunningBookie.Kind.OURS;
    }

    @Test
    void withoutRoomForWritesItStartsToBeRead(@TempDir Path disk) throws Exception {
        add(0, false);
        long free = Files.getFileStore(disk).getUsableSpace();
        // of which it leaves a quarter free before it stops writes, and starts with an eighth
        restart(6 * free);
        assertThat(bookie().isReadOnly()).isTrue();
        await().atMost(Duration.ofSeconds(60)).until(this::registeredReadOnly);
        assertThat(read(0)).isEqualTo(content(0));
        assertThat(listed()).containsExactly(0L);
        assertThatThrownBy(() -> restart(60 * free)).isInstanceOf(DataFolderException.Full.class);
        restart();
        assertThat(bookie().isReadOnly()).isFalse();
        add(1, false);
        assertThat(listed()).containsExactly(0L, 1L);
    }
}
