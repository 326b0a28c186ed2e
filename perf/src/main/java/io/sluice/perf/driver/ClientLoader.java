package io.sluice.perf.driver;

import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Classes of a client with libraries of its own, whose versions are not those of this program. It shares with us the JDK, SLF4J
 * and {@link Target}; our class that drives the client is loaded a second time, beside it.
 */
final class ClientLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** @param jars the client with all its libraries */
    ClientLoader(List<Path> jars) throws MalformedURLException {
        super("client", urls(jars), new Shared());
    }

    private static URL[] urls(List<Path> jars) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        urls.add(ClientLoader.class.getProtectionDomain().getCodeSource().getLocation());
        for (Path jar : jars) {
            urls.add(jar.toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /**
     * A target of this class, which has a public constructor that takes an address.
     *
     * @throws Exception what the constructor throws
     */
    Target target(String className, String hostAndPort) throws Exception {
        var constructor = loadClass(className).asSubclass(Target.class).getConstructor(String.class);
        Thread thread = Thread.currentThread();
        ClassLoader ours = thread.getContextClassLoader();
        // by which clients look for their own parts
        thread.setContextClassLoader(this);
        try {
            return constructor.newInstance(hostAndPort);
        } catch (InvocationTargetException e) {
            Throwable why = e.getCause();
            throw why instanceof Exception known ? known : new IllegalStateException(String.valueOf(why), why);
        } finally {
            thread.setContextClassLoader(ours);
        }
    }

    /** Its parent: the JDK, and of our class path what both sides talk through. */
    private static final class Shared extends ClassLoader {
        private static final Set<String> TARGET = Set.of(
                Target.class.getName(),
                Target.Sender.class.getName(),
                Batching.class.getName(),
                Sharing.class.getName());
        private static final String LOGGING = "org.slf4j.";

        static {
            registerAsParallelCapable();
        }

        private final ClassLoader ours = Target.class.getClassLoader();

        Shared() {
            super("shared", ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (TARGET.contains(name) || name.startsWith(LOGGING)) {
                return ours.loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
