package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An authority of one's own, with keys on the curve P-256: for a first cluster, for tests. Its certificates go to files; the server reads
 * them like any others.
 */
public final class CertificateAuthority {
    private static final String ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    private static final String ALTERNATIVE_NAMES = "2.5.29.17";
    private static final String LIST_NUMBER = "2.5.29.20";
    private static final String SERVER = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT = "1.3.6.1.5.5.7.3.2";
    private static final int DNS_NAME = 0x82;
    private static final int ADDRESS = 0x87;
    private static final Duration EARLIER = Duration.ofHours(1);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Issued self;

    private CertificateAuthority(Issued self) {
        this.self = self;
    }

    /** A certificate and the key that belongs to it. */
    public record Issued(X509Certificate certificate, PrivateKey key) {
        /** @throws IOException a file cannot be read, or has no certificate or no key; in one line */
        public static Issued read(Path certificate, Path key) throws IOException {
            return new Issued(certificate(certificate), TokenKeys.privateKey(key));
        }

        /** @throws IOException the file cannot be read, or has no certificate; in one line */
        public static X509Certificate certificate(Path certificate) throws IOException {
            try (InputStream in = Files.newInputStream(certificate)) {
                return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
            } catch (NoSuchFileException e) {
                throw new IOException(certificate + " does not exist", e);
            } catch (GeneralSecurityException e) {
                throw new IOException(certificate + " is no certificate (PEM)", e);
            }
        }

        /** Names and addresses of hosts in a server's certificate, its first name first. */
        public List<String> hosts() throws IOException {
            try {
                var names = certificate.getSubjectAlternativeNames();
                return names == null
                        ? List.of()
                        : names.stream()
                                .map(name -> String.valueOf(name.get(1)))
                                .toList();
            } catch (CertificateParsingException e) {
                throw new IOException("the certificate's names cannot be read", e);
            }
        }

        public String certificatePem() {
            try {
                return pem("CERTIFICATE", certificate.getEncoded());
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a certificate without its encoding", e);
            }
        }

        /** In PKCS#8. */
        public String keyPem() {
            return pem("PRIVATE KEY", key.getEncoded());
        }
    }

    /** @param valid from now on */
    public static CertificateAuthority of(String name, Duration valid) {
        KeyPair keys = newKeys();
        // An authority; signs certificates and lists of revoked ones.
        List<byte[]> extensions = List.of(
                extension(BASIC_CONSTRAINTS, true, Der.sequence(Der.yes())),
                extension(KEY_USAGE, true, Der.bits(1, new byte[] {0x06})));
        return new CertificateAuthority(new Issued(
                signed(name, name, keys.getPublic(), keys.getPrivate(), valid, extensions), keys.getPrivate()));
    }

    /** An authority that was made earlier. */
    public static CertificateAuthority of(Issued self) {
        return new CertificateAuthority(self);
    }

    public Issued self() {
        return self;
    }

    /**
     * A certificate of a server.
     *
     * @param hosts names and addresses by which clients reach it; the first is its name
     */
    public Issued server(List<String> hosts, Duration valid) {
        byte[][] names = hosts.stream().map(CertificateAuthority::alternative).toArray(byte[][]::new);
        return issue(
                hosts.getFirst(), List.of(SERVER), extension(ALTERNATIVE_NAMES, false, Der.sequence(names)), valid);
    }

    /** A certificate of a client, with this common name. */
    public Issued client(String name, Duration valid) {
        return issue(name, List.of(CLIENT), null, valid);
    }

    /** A certificate of a node, which is client and server of other nodes. */
    public Issued node(String name, Duration valid) {
        return issue(name, List.of(SERVER, CLIENT), null, valid);
    }

    /**
     * A list of these revoked certificates (CRL), which the next one replaces.
     *
     * @param serials of certificates of this authority
     * @param valid how long it may be used without a newer one
     */
    public String revocationList(Collection<BigInteger> serials, Duration valid) {
        Instant now = Instant.now();
        byte[][] entries = serials.stream()
                .map(serial -> Der.sequence(Der.integer(serial), Der.time(now)))
                .toArray(byte[][]::new);
        List<byte[]> parts = new ArrayList<>(List.of(
                Der.integer(BigInteger.ONE), // version 2
                Der.sequence(Der.identifier(ECDSA_WITH_SHA256)),
                self.certificate().getSubjectX500Principal().getEncoded(),
                Der.time(now.minus(EARLIER)),
                Der.time(now.plus(valid))));
        if (entries.length > 0) {
            parts.add(Der.sequence(entries));
        }
        parts.add(Der.tagged(
                0xa0,
                Der.sequence(extension(LIST_NUMBER, false, Der.integer(BigInteger.valueOf(now.toEpochMilli()))))));
        return pem("X509 CRL", signed(Der.sequence(parts.toArray(byte[][]::new)), self.key()));
    }

    private Issued issue(String name, List<String> usages, byte @Nullable [] more, Duration valid) {
        KeyPair keys = newKeys();
        List<byte[]> extensions = new ArrayList<>();
        // Signs, in the handshake.
        extensions.add(extension(KEY_USAGE, true, Der.bits(7, new byte[] {(byte) 0x80})));
        extensions.add(extension(
                EXTENDED_KEY_USAGE,
                false,
                Der.sequence(usages.stream().map(Der::identifier).toArray(byte[][]::new))));
        if (more != null) {
            extensions.add(more);
        }
        String issuer = commonName(self.certificate());
        return new Issued(signed(issuer, name, keys.getPublic(), self.key(), valid, extensions), keys.getPrivate());
    }

    private static String commonName(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().getName().substring("CN=".length());
    }

    private static X509Certificate signed(
            String issuer, String subject, PublicKey key, PrivateKey signer, Duration valid, List<byte[]> extensions) {
        byte[] algorithm = Der.sequence(Der.identifier(ECDSA_WITH_SHA256));
        Instant now = Instant.now();
        byte[] content = Der.sequence(
                Der.tagged(0xa0, Der.integer(BigInteger.TWO)), // version 3
                Der.integer(new BigInteger(127, RANDOM).setBit(126)),
                algorithm,
                name(issuer),
                Der.sequence(Der.time(now.minus(EARLIER)), Der.time(now.plus(valid))),
                name(subject),
                key.getEncoded(),
                Der.tagged(0xa3, Der.sequence(extensions.toArray(byte[][]::new))));
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(signed(content, signer)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot read a certificate", e);
        }
    }

    /** The content, the algorithm of its signature, and the signature. */
    private static byte[] signed(byte[] content, PrivateKey signer) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(signer);
            signature.update(content);
            return Der.sequence(
                    content, Der.sequence(Der.identifier(ECDSA_WITH_SHA256)), Der.bits(0, signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot sign", e);
        }
    }

    private static byte[] name(String common) {
        return Der.sequence(Der.set(Der.sequence(Der.identifier(COMMON_NAME), Der.text(common))));
    }

    private static byte[] extension(String identifier, boolean critical, byte[] value) {
        byte[] content = Der.octets(value);
        return critical
                ? Der.sequence(Der.identifier(identifier), Der.yes(), content)
                : Der.sequence(Der.identifier(identifier), content);
    }

    private static byte[] alternative(String host) {
        boolean digits = host.matches("[0-9.]+") || host.indexOf(':') >= 0;
        try {
            return digits
                    ? Der.tagged(ADDRESS, InetAddress.getByName(host).getAddress())
                    : Der.tagged(DNS_NAME, host.getBytes(US_ASCII));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(host + " is no address", e);
        }
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks the curve P-256", e);
        }
    }

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der) + "\n-----END " + kind
                + "-----\n";
    }
}
