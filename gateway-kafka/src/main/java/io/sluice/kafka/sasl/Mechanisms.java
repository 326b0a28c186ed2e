package io.sluice.kafka.sasl;

import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.SaslServer;
import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslServer;
import org.apache.kafka.common.security.plain.internals.PlainSaslServer;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramSaslServer;

/** SASL mechanisms, in Kafka's own implementations. */
final class Mechanisms {
    static final String PLAIN = "PLAIN";
    static final String OAUTHBEARER = "OAUTHBEARER";
    static final List<String> SCRAM = List.of("SCRAM-SHA-256", "SCRAM-SHA-512");

    private Mechanisms() {}

    static SaslServer server(String mechanism, CallbackHandler answers) {
        return switch (mechanism) {
            case PLAIN -> new PlainSaslServer(answers);
            case OAUTHBEARER -> new OAuthBearerSaslServer(answers);
            default -> scram(mechanism, answers);
        };
    }

    private static SaslServer scram(String mechanism, CallbackHandler answers) {
        try {
            return new ScramSaslServer(ScramMechanism.forMechanismName(mechanism), Map.of(), answers);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("the JDK lacks " + mechanism, e);
        }
    }
}
