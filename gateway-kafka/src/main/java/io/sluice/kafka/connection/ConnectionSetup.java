package io.sluice.kafka.connection;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.memory.ProtocolShare;
import io.sluice.broker.quota.ClientRates;
import io.sluice.kafka.api.Apis;
import java.util.function.LongSupplier;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * Services shared by all connections of a listener.
 *
 * @param endpoint name under which nodes advertise this listener
 * @param security who is let in
 * @param rates that clients are kept to
 * @param nanoTime a clock that only rises, in nanoseconds
 */
public record ConnectionSetup(
        Apis apis,
        ListenerName listener,
        String endpoint,
        ListenerSecurity security,
        ConnectionLimits limits,
        ProtocolShare memory,
        GatewayMeters meters,
        ClientRates rates,
        LongSupplier nanoTime) {
    /** As Kafka calls what the listener speaks. */
    SecurityProtocol protocol() {
        boolean sasl = security.ways().stream().anyMatch(way -> way != Authentication.CERTIFICATE);
        if (security.tls() == null) {
            return sasl ? SecurityProtocol.SASL_PLAINTEXT : SecurityProtocol.PLAINTEXT;
        }
        return sasl ? SecurityProtocol.SASL_SSL : SecurityProtocol.SSL;
    }
}
