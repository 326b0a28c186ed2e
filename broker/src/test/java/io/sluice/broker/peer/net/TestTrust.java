package io.sluice.broker.peer.net;

import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.ClusterSecret;
import io.sluice.broker.identity.NodeTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Certificates and secrets of nodes in a folder. */
final class TestTrust {
    private static final Duration LONG = Duration.ofDays(1);

    private final Path folder;

    TestTrust(Path folder) {
        this.folder = folder;
    }

    /** Puts a secret, or several lines of them, into the file of a node. */
    Path write(String file, String secret) throws IOException {
        return Files.writeString(folder.resolve(file), secret + "\n");
    }

    PeerTrust secret(String file, String secret) throws IOException {
        return new PeerTrust(null, new ClusterSecret(write(file, secret).toString()));
    }

    static CertificateAuthority authority() {
        return CertificateAuthority.of("nodes", LONG);
    }

    /** Puts a certificate into the files of a node, which trusts those of the other authority. */
    TlsFiles write(String name, Issued issued, CertificateAuthority trusted) throws IOException {
        Path certificate = Files.writeString(folder.resolve(name + ".pem"), issued.certificatePem());
        Path key = Files.writeString(folder.resolve(name + "-key.pem"), issued.keyPem());
        Path authorities = Files.writeString(
                folder.resolve(name + "-ca.pem"), trusted.self().certificatePem());
        return new TlsFiles(certificate, key.toString(), null, authorities);
    }

    static Issued node(CertificateAuthority authority) {
        return authority.node("node", LONG);
    }

    PeerTrust tls(String name, Issued issued, CertificateAuthority trusted) throws IOException {
        return new PeerTrust(new NodeTls(write(name, issued, trusted), RevokedCertificates.NONE), null);
    }

    /** One that refuses certificates on the list in a file, {@link #revoke}. */
    PeerTrust tls(String name, Issued issued, CertificateAuthority trusted, Path list) throws IOException {
        TlsFiles files = write(name, issued, trusted);
        return new PeerTrust(new NodeTls(files, new RevokedCertificates(list, files.authorities())), null);
    }

    /** Writes a list of these certificates. */
    Path revoke(CertificateAuthority by, Issued... certificates) throws IOException {
        List<BigInteger> serials = Arrays.stream(certificates)
                .map(each -> each.certificate().getSerialNumber())
                .toList();
        return Files.writeString(folder.resolve("revoked.pem"), by.revocationList(serials, LONG));
    }
}
