package io.sluice.server.health;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something the server cannot do without.
 *
 * @param name as in "the metadata store"
 * @param ask returns at once. The answer is null if the part is well, else what is wrong with it, in one line; it may never come
 */
public record Part(String name, Supplier<CompletableFuture<@Nullable String>> ask) {
    /** @param ask may block; its exception is what is wrong */
    public static Part blocking(String name, Callable<@Nullable String> ask) {
        return new Part(name, () -> {
            var answer = new CompletableFuture<@Nullable String>();
            Thread.ofVirtual().name("ask " + name).start(() -> {
                try {
                    answer.complete(ask.call());
                } catch (Throwable e) { // whatever it is, the part is not well
                    answer.completeExceptionally(e);
                }
            });
            return answer;
        });
    }
}
