package io.sluice.bookie.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.X509Bundle;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** An authority that signs certificates for both uses. */
final class TestAuthority {
    private final X509Bundle authority;

    TestAuthority() throws Exception {
        authority = new CertificateBuilder()
                .subject("CN=authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** Writes a list of these certificates that the authority has revoked, by the JDK's tool. */
    void revoke(Path list, Path folder, X509Certificate... certificates) throws Exception {
        char[] password = "password".toCharArray();
        Path store = folder.resolve("authority.p12");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, password);
        keys.setKeyEntry("authority", authority.getKeyPair().getPrivate(), password, authority.getCertificatePath());
        try (OutputStream out = Files.newOutputStream(store)) {
            keys.store(out, password);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-gencrl",
                "-rfc",
                "-alias",
                "authority",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(password),
                "-file",
                list + ".new"));
        for (X509Certificate each : certificates) {
            command.add("-id");
            command.add(each.getSerialNumber().toString());
        }
        Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(tool.getInputStream().readAllBytes(), UTF_8);
        if (tool.waitFor() != 0) {
            throw new IllegalStateException(said);
        }
        Files.move(Path.of(list + ".new"), list, StandardCopyOption.REPLACE_EXISTING);
    }

    static X509Certificate certificate(BookieTls of) throws Exception {
        try (InputStream in = Files.newInputStream(of.certificate())) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
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
