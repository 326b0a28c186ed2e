package io.sluice.kafka.connection;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import org.apache.kafka.common.protocol.ApiMessage;

/** The field {@code throttle_time_ms}, which most answers have, each in a class of its own. */
final class ThrottleTimeField {
    private static final ClassValue<Optional<MethodHandle>> SETTERS = new ClassValue<>() {
        @Override
        protected Optional<MethodHandle> computeValue(Class<?> type) {
            return setter(type);
        }
    };

    private ThrottleTimeField() {}

    private static Optional<MethodHandle> setter(Class<?> type) {
        try {
            return Optional.of(MethodHandles.publicLookup()
                    .findVirtual(type, "setThrottleTimeMs", MethodType.methodType(type, int.class))
                    .asType(MethodType.methodType(void.class, ApiMessage.class, int.class)));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return Optional.empty();
        }
    }

    /**
     * Sets it where there is one; versions that lack it are written without.
     *
     * @return whether there is one
     */
    static boolean set(ApiMessage answer, int millis) {
        MethodHandle setter = SETTERS.get(answer.getClass()).orElse(null);
        if (setter == null) {
            return false;
        }
        try {
            setter.invokeExact(answer, millis);
            return true;
        } catch (Throwable e) {
            throw new IllegalStateException("the throttle time of " + answer.getClass() + " cannot be set", e);
        }
    }
}
