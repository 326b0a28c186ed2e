package io.sluice.bookie.cluster;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.X509Bundle;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.nio.file.Files;
import java.nio.file.Path;

/** An authority that signs certificates for both uses. */
final class TestAuthority {
    private final X509Bundle authority;

    TestAuthority() throws Exception {
        authority = new CertificateBuilder()
                .subject("CN=authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** A certificate with its key and the authority's certificate, in files of a new folder. */
    BookieTls write(Path folder) throws Exception {
        X509Bundle node = new CertificateBuilder()
                .subject("CN=node")
                .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH)
                .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH)
                .buildIssuedBy(authority);
        Files.createDirectories(folder);
        return new BookieTls(
                Files.writeString(folder.resolve("node.pem"), node.getCertificatePEM()),
                Files.writeString(folder.resolve("node-key.pem"), node.getPrivateKeyPEM()),
                Files.writeString(folder.resolve("ca.pem"), node.getRootCertificatePEM()));
    }
}
