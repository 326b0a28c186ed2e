package io.sluice.store.wal.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class LedgerChainTest {
    @Test
    void numbersRiseAndAreNeverReused() {
        LedgerChain chain = LedgerChain.EMPTY.takenOver("a").add(70).add(80);
        LedgerChain empty = chain.truncate(100);
        assertThat(empty.ledgers()).isEmpty();
        assertThat(empty.doomed()).containsExactly(70L, 80L);
        assertThat(empty.forget(List.of(70L)).doomed()).containsExactly(80L);
        assertThat(empty.add(90).ledgers()).containsExactly(new LedgerChain.Link(3, 90));
    }

    @Test
    void theBytesReadBack() throws IOException {
        LedgerChain chain =
                new LedgerChain(7, "node-ü", 4, List.of(new LedgerChain.Link(3, 1L << 40)), List.of(5L, 6L));
        assertThat(LedgerChainCodec.decode(LedgerChainCodec.encode(chain))).isEqualTo(chain);
    }

    @Test
    void tornBytesAreAnErrorWhereverTheyEnd() {
        byte[] bytes = LedgerChainCodec.encode(
                LedgerChain.EMPTY.takenOver("a").add(1).add(2).truncate(2));
        for (int length = 0; length < bytes.length; length++) {
            byte[] torn = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> LedgerChainCodec.decode(torn)).isInstanceOf(IOException.class);
        }
        bytes[0] = 9;
        assertThatThrownBy(() -> LedgerChainCodec.decode(bytes)).hasMessageContaining("version 9");
    }

    @Test
    void aTermThatWasSupersededCanChangeTheChainNoMore() throws WalException {
        InMemoryMetadata metadata = new InMemoryMetadata();
        ChainRecord old = ChainRecord.takeOver(metadata, 1, "a", new ReentrantLock());
        ChainRecord next = ChainRecord.takeOver(metadata, 1, "b", new ReentrantLock());
        assertThat(next.chain().term()).isEqualTo(old.chain().term() + 1);
        assertThatThrownBy(() -> old.change(chain -> chain.add(1))).isInstanceOf(WalException.Fenced.class);
        next.change(chain -> chain.add(2));
    }

    @Test
    void anAnswerThatWasLostIsFoundOut() throws WalException {
        InMemoryMetadata metadata = new InMemoryMetadata();
        ChainRecord record = ChainRecord.takeOver(metadata, 1, "a", new ReentrantLock());
        metadata.failNextPut(true);
        record.change(chain -> chain.add(1));
        metadata.failNextPut(false);
        assertThatThrownBy(() -> record.change(chain -> chain.add(2))).isInstanceOf(WalException.Unavailable.class);
        record.change(chain -> chain.add(3));
        assertThat(record.chain().ledgers())
                .extracting(LedgerChain.Link::ledgerId)
                .containsExactly(1L, 3L);
    }
}
