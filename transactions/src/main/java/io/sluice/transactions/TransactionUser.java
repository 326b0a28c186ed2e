package io.sluice.transactions;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A client that uses a {@linkplain SingleTransaction single transaction}, as far as its owner matters. Any thread; does not block. */
@FunctionalInterface
public interface TransactionUser {
    /** Uses all transactions. */
    TransactionUser ANY = _ -> true;

    /** Characters of a name that are kept as they are: owners are kept in memory. */
    int LONGEST_NAME = 200;

    /**
     * Whether the client may add to a transaction of this owner and end it. A transaction without an owner is for all.
     *
     * @param owner as {@link #ownerOf} gives it
     */
    boolean mayUse(String owner);

    /**
     * The client of this name.
     *
     * @param name as {@link #ownerOf} gives it; empty if nobody knows who it is; null if it may use all transactions
     */
    static TransactionUser named(@Nullable String name) {
        return name == null ? ANY : name::equals;
    }

    /** Owner that is kept for a principal of this name: the name, or a digest of a long one. */
    static String ownerOf(String name) {
        if (name.length() <= LONGEST_NAME) {
            return name;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
