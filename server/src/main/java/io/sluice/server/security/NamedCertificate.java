package io.sluice.server.security;

import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Certificates of single clients and nodes, by the authorities of a {@link SecurityFolder}. */
enum NamedCertificate {
    CLIENT("ca", SecurityFolder.REVOKED) {
        @Override
        Issued issue(CertificateAuthority authority, String name, Duration lifetime) {
            return authority.client(name, lifetime);
        }
    },
    NODE("node-ca", SecurityFolder.REVOKED_NODES) {
        @Override
        Issued issue(CertificateAuthority authority, String name, Duration lifetime) {
            return authority.node(name, lifetime);
        }
    };

    private final String authority;
    private final String list;

    NamedCertificate(String authority, String list) {
        this.authority = authority;
        this.list = list;
    }

    abstract Issued issue(CertificateAuthority authority, String name, Duration lifetime);

    private Issued authorityIn(Path folder) throws IOException {
        return Issued.read(folder.resolve(authority + ".pem"), folder.resolve(authority + "-key.pem"));
    }

    /**
     * Writes the certificate and its key beside those of the authority.
     *
     * @throws FileAlreadyExistsException one of the two files is there; the other is not written then
     * @throws IOException a file cannot be read or written; in one line
     */
    void write(Path folder, String name, Duration lifetime) throws IOException, StartException {
        if (!SecurityFolder.isName(name)) {
            throw new StartException("NAME is '" + name + "', expected are 1 to 64 letters, digits and any of . _ @ -");
        }
        CertificateAuthority by = CertificateAuthority.of(authorityIn(folder));
        Path certificate = folder.resolve(name + ".pem");
        if (Files.exists(certificate)) {
            throw new FileAlreadyExistsException(certificate.toString());
        }
        Issued issued = issue(by, name, lifetime);
        SecurityFolder.writeSecret(folder.resolve(name + "-key.pem"), issued.keyPem());
        SecurityFolder.writeForAll(certificate, issued.certificatePem());
    }

    /**
     * Adds the certificate to the list of those that its authority has revoked, which is made if there is none.
     *
     * @return the list
     * @throws IOException a file cannot be read or replaced; in one line
     */
    static Path revoke(Path folder, Path certificate) throws IOException, StartException {
        X509Certificate revoked = Issued.certificate(certificate);
        for (NamedCertificate kind : values()) {
            Issued authority = kind.authorityIn(folder);
            if (isOf(authority, revoked)) {
                Path list = folder.resolve(kind.list);
                Set<BigInteger> serials = new TreeSet<>(serialsIn(list));
                serials.add(revoked.getSerialNumber());
                SecurityFolder.replace(
                        list,
                        CertificateAuthority.of(authority).revocationList(serials, SecurityFolder.OF_AUTHORITY),
                        "rw-r--r--");
                return list;
            }
        }
        throw new StartException(certificate + " is of neither authority in " + folder);
    }

    /** Authorities of all folders have the same names. */
    private static boolean isOf(Issued authority, X509Certificate certificate) {
        try {
            certificate.verify(authority.certificate().getPublicKey());
            return certificate
                    .getIssuerX500Principal()
                    .equals(authority.certificate().getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static List<BigInteger> serialsIn(Path list) throws IOException {
        try (InputStream in = Files.newInputStream(list)) {
            X509CRL read = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in);
            Set<? extends X509CRLEntry> entries = read.getRevokedCertificates();
            return entries == null
                    ? List.of()
                    : entries.stream().map(X509CRLEntry::getSerialNumber).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (GeneralSecurityException e) {
            throw new IOException(list + " is no list of revoked certificates (CRL)", e);
        }
    }
}
