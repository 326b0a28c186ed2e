package io.sluice.store.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.cert.CRL;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that their authorities have revoked, by the lists (CRL, RFC 5280) in a file. A list that is out of date still counts: what it
 * names stays revoked, and others are let in. Any thread.
 */
public final class RevokedCertificates {
    /** No certificate is. */
    public static final RevokedCertificates NONE = new RevokedCertificates();

    private final @Nullable Path file;
    private final Path authorities;
    private final Set<X500Principal> toldOutdated = new HashSet<>();
    private volatile Lists lists;
    private Stamp stamp;

    /**
     * Content of the file.
     *
     * @param version rises with each change
     */
    private record Lists(List<X509CRL> all, byte[] content, long version) {
        boolean have(Certificate certificate) {
            if (!(certificate instanceof X509Certificate of)) {
                return false;
            }
            for (X509CRL list : all) {
                if (list.getIssuerX500Principal().equals(of.getIssuerX500Principal()) && list.isRevoked(of)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Tells that a file may have changed without reading it: lists can be long, and are looked at several times a second. */
    private record Stamp(FileTime modified, long bytes) {}

    private RevokedCertificates() {
        file = null;
        authorities = Path.of("");
        lists = new Lists(List.of(), new byte[0], 0);
        stamp = new Stamp(FileTime.fromMillis(0), 0);
    }

    /**
     * Reads the file. Blocks.
     *
     * @param file lists, PEM or DER
     * @param authorities file of the certificates, PEM, of those that sign the lists
     * @throws IOException a file cannot be read, or has a list that is none or is not an authority's; in one line
     */
    public RevokedCertificates(Path file, Path authorities) throws IOException {
        this.file = file;
        this.authorities = authorities;
        stamp = stampOf(file);
        byte[] content = Files.readAllBytes(file);
        lists = new Lists(parse(file, content), content, 1);
    }

    private static Stamp stampOf(Path file) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(attributes.lastModifiedTime(), attributes.size());
        } catch (IOException e) {
            throw new IOException("cannot read " + file, e);
        }
    }

    /**
     * Reads the file again if it has changed. Blocks.
     *
     * @return whether it had
     * @throws IOException as when it is made; what was read before stays
     */
    public synchronized boolean reload() throws IOException {
        if (file == null) {
            return false;
        }
        Stamp now = stampOf(file);
        if (now.equals(stamp)) {
            return false;
        }
        byte[] content = Files.readAllBytes(file);
        stamp = now; // a file that is no list is told once
        if (Arrays.equals(content, lists.content)) {
            return false;
        }
        lists = new Lists(parse(file, content), content, lists.version + 1);
        return true;
    }

    /** Issuers whose list should have been replaced by now, each once. */
    public synchronized List<String> newlyOutdated(Instant now) {
        List<String> issuers = new ArrayList<>();
        for (X509CRL list : lists.all) {
            X500Principal issuer = list.getIssuerX500Principal();
            boolean outdated = list.getNextUpdate() != null
                    && list.getNextUpdate().toInstant().isBefore(now);
            if (!outdated) {
                toldOutdated.remove(issuer);
            } else if (toldOutdated.add(issuer)) {
                issuers.add(issuer.getName());
            }
        }
        return issuers;
    }

    private List<X509CRL> parse(Path from, byte[] content) throws IOException {
        List<X509CRL> read = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (CRL each : factory.generateCRLs(new ByteArrayInputStream(content))) {
                read.add((X509CRL) each);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(from + " has no lists of revoked certificates (CRL) that can be read", e);
        }
        if (read.isEmpty()) {
            throw new IOException(from + " has no lists of revoked certificates (CRL)");
        }
        List<X509Certificate> signers = TrustedAuthorities.certificates(authorities);
        for (X509CRL list : read) {
            String issuer = list.getIssuerX500Principal().getName();
            if (list.hasUnsupportedCriticalExtension()) {
                throw new IOException(from + ": the list of " + issuer + " is of a kind that is not supported");
            }
            if (signers.stream().noneMatch(signer -> isSignedBy(list, signer))) {
                throw new IOException(
                        from + ": the list of " + issuer + " is signed by none of the authorities in " + authorities);
            }
        }
        return List.copyOf(read);
    }

    private static boolean isSignedBy(X509CRL list, X509Certificate signer) {
        if (!signer.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
            return false;
        }
        try {
            list.verify(signer.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Whether one of these is revoked. */
    public boolean hasAny(Certificate[] chain) {
        Lists now = lists;
        for (Certificate each : chain) {
            if (now.have(each)) {
                return true;
            }
        }
        return false;
    }

    /** Certificates that the other end has shown; null if it has shown none. */
    public @Nullable Shown shownIn(SSLSession session) {
        try {
            return new Shown(session.getPeerCertificates());
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** Certificates of one connection: looked for once in each version of the lists. Any thread. */
    public final class Shown {
        private final Certificate[] chain;
        private volatile long seen = -1;
        private volatile boolean revoked;

        private Shown(Certificate[] chain) {
            this.chain = chain;
        }

        /** Whether one of them is revoked by now. */
        public boolean isRevoked() {
            long version = lists.version;
            if (version != seen) {
                revoked = hasAny(chain);
                seen = version;
            }
            return revoked;
        }
    }
}
