/**
 * A front end to javac that runs inside the box: it takes one or more sources with any class name and package, finds
 * the class with `main`, and writes one jar, so that compilation passes a single file to the runs.
 */
export const javaCompilerSource = `
import java.io.*;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.zip.ZipEntry;
import javax.tools.*;

public class Compiler {
  static final Map<String, ByteArrayOutputStream> classes = new LinkedHashMap<>();

  public static void main(String[] words) throws Exception {
    List<JavaFileObject> units = new ArrayList<>();
    for (int i = 0; i < words.length - 1; i++) units.add(read(words[i], i));
    if (!compile(units)) System.exit(1);
    for (String name : classes.keySet()) {
      String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
      if (file.getBytes(StandardCharsets.UTF_8).length <= 255) continue;
      System.err.println("error: " + file + ": File name too long");
      System.exit(1);
    }
    String main = findMain();
    if (main == null) {
      System.err.println("error: no class has public static void main(String[])");
      System.exit(1);
    }
    write(main, words[words.length - 1]);
  }

  static JavaFileObject read(String path, int place) throws IOException {
    String source = new String(Files.readAllBytes(Paths.get(path)), StandardCharsets.UTF_8);
    String name = place == 0 ? "Main.java" : "Main" + place + ".java";
    return new SimpleJavaFileObject(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE) {
      @Override public CharSequence getCharContent(boolean lenient) { return source; }
      @Override public boolean isNameCompatible(String name, Kind kind) { return true; }
    };
  }

  static boolean compile(List<JavaFileObject> units) {
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    JavaFileManager files = new ForwardingJavaFileManager<>(javac.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      @Override public JavaFileObject getJavaFileForOutput(Location where, String name, JavaFileObject.Kind kind, FileObject from) {
        return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {
          @Override public OutputStream openOutputStream() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            classes.put(name, bytes);
            return bytes;
          }
        };
      }
    };
    Writer words = new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true);
    List<String> options = Arrays.asList("-classpath", "/box", "-proc:none", "-Xmaxerrs", "50", "-Xmaxwarns", "20");
    return javac.getTask(words, files, null, options, null, units).call();
  }

  static String findMain() {
    ClassLoader loader = new ClassLoader(ClassLoader.getPlatformClassLoader()) {
      @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
        ByteArrayOutputStream bytes = classes.get(name);
        if (bytes == null) throw new ClassNotFoundException(name);
        return defineClass(name, bytes.toByteArray(), 0, bytes.size());
      }
    };
    String found = null;
    int best = -1;
    for (String name : classes.keySet()) {
      try {
        Class<?> one = loader.loadClass(name);
        int how = one.getDeclaredMethod("main", String[].class).getModifiers();
        if (!Modifier.isStatic(how) || !Modifier.isPublic(how)) continue;
        int rank = rankOf(one);
        if (rank <= best) continue;
        best = rank;
        found = name;
      } catch (NoSuchMethodException | ClassNotFoundException | LinkageError none) {
        continue;
      }
    }
    return found;
  }

  /** Of several with a main: one that is in no other before one that is, then the public one, which names a file, then Main. */
  static int rankOf(Class<?> one) {
    boolean isMain = one.getSimpleName().equals("Main");
    return (one.getEnclosingClass() == null ? 4 : 0) + (Modifier.isPublic(one.getModifiers()) ? 2 : 0) + (isMain ? 1 : 0);
  }

  static void write(String main, String path) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, main);
    try (JarOutputStream jar = new JarOutputStream(new BufferedOutputStream(new FileOutputStream(path)), manifest)) {
      for (Map.Entry<String, ByteArrayOutputStream> each : classes.entrySet()) {
        jar.putNextEntry(new ZipEntry(each.getKey().replace('.', '/') + ".class"));
        each.getValue().writeTo(jar);
      }
    }
  }
}
`
