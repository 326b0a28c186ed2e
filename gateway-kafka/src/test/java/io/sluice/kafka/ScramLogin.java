package io.sluice.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.security.sasl.SaslException;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ClientFinalMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ClientFirstMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ServerFinalMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ServerFirstMessage;

/** SCRAM's client as Kafka's own, but that it salts a password once, and not for each login: that takes milliseconds of a processor. */
final class ScramLogin {
    /** There are a few passwords, and a salt for each hash of the one user; a damaged name may be told another one. */
    private static final int MOST_SALTED = 100;

    private static final ConcurrentMap<Password, byte[]> SALTED = new ConcurrentHashMap<>();

    private record Password(String mechanism, String text, ByteBuffer salt, int iterations) {}

    private final ScramMechanism mechanism;
    private final ScramFormatter formatter;
    private final String password;
    private final ClientFirstMessage first;
    private byte[] signature = {};

    /** @param mechanism {@code SCRAM-SHA-256} or {@code SCRAM-SHA-512} */
    ScramLogin(String mechanism, String name, String password) throws NoSuchAlgorithmException {
        this.mechanism = ScramMechanism.forMechanismName(mechanism);
        this.formatter = new ScramFormatter(this.mechanism);
        this.password = password;
        this.first = new ClientFirstMessage(ScramFormatter.saslName(name), formatter.secureRandomString(), Map.of());
    }

    byte[] first() {
        return first.toBytes();
    }

    /** @param answer to the first message */
    byte[] last(byte[] answer) throws SaslException, InvalidKeyException {
        ServerFirstMessage told = new ServerFirstMessage(answer);
        if (!told.nonce().startsWith(first.nonce()) || told.iterations() < mechanism.minIterations()) {
            throw new SaslException("the server answers somebody else, or wants less than is safe");
        }
        byte[] salted = salted(told);
        ClientFinalMessage last = new ClientFinalMessage("n,,".getBytes(UTF_8), told.nonce());
        last.proof(formatter.clientProof(salted, first, told, last));
        signature = formatter.serverSignature(formatter.serverKey(salted), first, told, last);
        return last.toBytes();
    }

    private byte[] salted(ServerFirstMessage told) throws InvalidKeyException {
        var key = new Password(mechanism.mechanismName(), password, ByteBuffer.wrap(told.salt()), told.iterations());
        byte[] known = SALTED.get(key);
        if (known == null) {
            known = formatter.saltedPassword(password, told.salt(), told.iterations());
            if (SALTED.size() < MOST_SALTED) {
                SALTED.put(key, known);
            }
        }
        return known;
    }

    /** Whether the server has shown that it knows the password, too. */
    boolean isProved(byte[] answer) throws SaslException {
        ServerFinalMessage told = new ServerFinalMessage(answer);
        return told.error() == null && MessageDigest.isEqual(signature, told.serverSignature());
    }
}
