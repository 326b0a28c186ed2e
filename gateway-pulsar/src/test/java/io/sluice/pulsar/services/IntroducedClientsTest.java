package io.sluice.pulsar.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerHandler.Asked;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class IntroducedClientsTest {
    private static final Principal ALICE =
            new Principal("alice", Set.of("writers", "ä"), Authentication.CERTIFICATE, "http", "2001:db8::1");

    private long now;
    private final IntroducedClients clients = new IntroducedClients(() -> now);

    private static InetSocketAddress address(String digits) throws Exception {
        return new InetSocketAddress(InetAddress.getByName(digits), 65_535);
    }

    private CompletableFuture<byte[]> ask(byte[] question) {
        return clients.answer(new Asked(2, (short) 0, question, 0));
    }

    private byte[] ticket(Principal client, InetSocketAddress at) {
        return ask(IntroducedClients.question(client, at).body()).join();
    }

    @Test
    void aTicketIsForOneConnectionOfThatClient() throws Exception {
        Principal proxied = ALICE.through(new Principal("gate", Set.of(), Authentication.TOKEN, "http", "::1"));
        byte[] first = ticket(ALICE, address("2001:db8::1"));
        byte[] second = ticket(proxied, address("10.1.2.3"));
        var alice = Objects.requireNonNull(clients.take(first));
        assertThat(alice.principal()).isEqualTo(ALICE);
        assertThat(alice.address()).isEqualTo(address("2001:db8::1"));
        assertThat(clients.take(first)).isNull();
        var through = Objects.requireNonNull(clients.take(second));
        assertThat(through.principal()).isEqualTo(proxied);
        assertThat(through.address()).isEqualTo(address("10.1.2.3"));
        assertThat(clients.take(new byte[32])).isNull();
        assertThat(clients.take(new byte[0])).isNull();
    }

    @Test
    void aTicketEndsAfterHalfAMinute() throws Exception {
        byte[] used = ticket(ALICE, address("10.1.2.3"));
        byte[] late = ticket(ALICE, address("10.1.2.3"));
        now = Duration.ofSeconds(30).toNanos();
        assertThat(clients.take(used)).isNotNull();
        now++;
        assertThat(clients.take(late)).isNull();
    }

    @Test
    void soManyMayBeAboutToConnect() throws Exception {
        byte[] question = IntroducedClients.question(ALICE, address("10.1.2.3")).body();
        byte[] first = ask(question).join();
        for (int i = 1; i < 10_000; i++) {
            ask(question).join();
        }
        assertThatThrownBy(() -> ask(question).join())
                .hasCauseInstanceOf(PeerException.class)
                .hasMessageContaining("too many clients");
        clients.take(first);
        ask(question).join();
        now = Duration.ofSeconds(31).toNanos();
        ask(question).join();
    }

    @Test
    void aQuestionThatIsNoneIsRefused() throws Exception {
        byte[] question = IntroducedClients.question(ALICE, address("10.1.2.3")).body();
        for (int length = 0; length < question.length; length++) {
            byte[] cut = Arrays.copyOf(question, length);
            assertThat(PeerException.in(ask(cut).exceptionNow()))
                    .as("%d bytes", length)
                    .isNotNull()
                    .extracting(PeerException::reason)
                    .isEqualTo(PeerException.Reason.REFUSED);
        }
    }
}
