package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.wiring.EnoughBookies.Found;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnoughBookiesTest {
    @Test
    void countsBookiesThatTakeWritesAndConnections() {
        assertThat(lack(3, Map.of())).isEmpty();
        assertThat(lack(4, Map.of("a", "a:1: Connection refused"))).isEmpty();
        assertThat(lack(1, Map.of()))
                .isEqualTo("bookkeeper.ackQuorum is 3, but 1 bookie that takes writes has registered at zk:z");
        assertThat(lack(4, Map.of("b", "b:1: Connection refused", "a", "a:1: Connection refused")))
                .isEqualTo(
                        "bookkeeper.ackQuorum is 3, but 4 bookies that take writes have registered at zk:z, and 2 of them"
                                + " cannot be reached (a:1: Connection refused)");
    }

    private static String lack(int writable, Map<String, String> unreachable) {
        return EnoughBookies.lack(new Found(writable, unreachable), 3, "zk:z");
    }
}
