"""The samples in deploy for each proxy, as that proxy starts with them here: only addresses and paths are changed."""

import glob
import os
import re
import shutil
import subprocess

from kit.process import ended

CHAIN = r"/etc/letsencrypt/live/push\.example\.org/fullchain\.pem"
KEY = r"/etc/letsencrypt/live/push\.example\.org/privkey\.pem"

# As any user but root: a proxy that starts as root wants a second user. In a namespace this needs no rights.
UNPRIVILEGED = "unshare --user --map-user=1000 --map-group=1000".split()
# What the site answers whose path the sub-path samples take.
SITE = "this is the site"


class Place:
    """The folder and the addresses of one trial."""

    def __init__(self, folder, port, backend):
        self.folder, self.port, self.backend = folder, port, backend

    def sample(self, name, *changes):
        text = open(f"deploy/{name}").read()
        for pattern, instead in [
            *changes,
            (CHAIN, f"{self.folder}/chain.pem"),
            (KEY, f"{self.folder}/key.pem"),
            (r"/etc/haproxy/push\.example\.org\.pem", f"{self.folder}/both.pem"),
            (r"127\.0\.0\.1:8080", self.backend),
        ]:
            text = re.sub(pattern, instead, text, flags=re.M)
        used = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        left = re.search(r":(80|443|8080)\b|/etc/|/var/|example\.org", used)
        if left:
            raise SystemExit(f"proxies: FAILED: {name} still has {left.group()}")
        return text

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.write(text)
        return path


def program(name):
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if not found:
        raise SystemExit(f"proxies: FAILED: there is no {name}; it is in Debian's packages")
    return found


def nginx(place, path):
    folder = place.folder
    whole = place.sample(
        "nginx/bellwire.conf",
        (r"listen 443 ssl", f"listen 127.0.0.1:{place.port} ssl"),
        (r".*listen \[::\].*\n", ""),
        (r"server_name .*;", "server_name localhost;"),
        (r"/var/log/nginx", folder),
    )
    if path:
        part = place.sample("nginx/bellwire-subpath.conf", (r"/var/log/nginx", folder))
        site = f'location / {{ return 200 "{SITE}"; }}\n'
        whole = re.sub(r"    # An endpoint .*\n}\n", lambda _: f"{part}\n{site}}}\n", whole, flags=re.S)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in "client_body proxy fastcgi uwsgi scgi".split()
    )
    file = place.write(
        "nginx.conf",
        f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log warn;\ndaemon off;\nworker_processes 1;\n"
        f"events {{}}\nhttp {{\naccess_log {folder}/site.log;\n{temporary}{whole}\n}}\n",
    )
    return [program("nginx"), "-p", folder, "-c", file, "-e", f"{folder}/error.log"]


def caddy(place, path):
    address = (
        f"https://localhost:{place.port} {{\n\tbind 127.0.0.1\n\ttls {place.folder}/chain.pem {place.folder}/key.pem\n"
    )
    whole = place.sample(
        "caddy/bellwire.caddy",
        (r"^push\.example\.org {\n", address),
        (r"^{\n", "{\n\tadmin off\n\tauto_https disable_redirects\n"),
    )
    if path:
        part = place.sample("caddy/bellwire-subpath.caddy")
        # The log of the site has the format that the sample asks for.
        form = re.search(r"\t\tformat filter {.*?\n\t\t}\n", whole, flags=re.S).group()
        log = f"log {{\noutput file {place.folder}/site.log\n{form}}}\n"
        site = f'handle {{\nrespond "{SITE}"\n}}\n'
        whole = whole.replace("\treverse_proxy " + place.backend, log + part + site)
    return [program("caddy"), "run", "--adapter", "caddyfile", "--config", place.write("Caddyfile", whole)]


def apache(place, path):
    folder = place.folder
    changes = [
        (r"\*:443", f"127.0.0.1:{place.port}"),
        (r"ServerName .*", "ServerName localhost"),
        (r"\$\{APACHE_LOG_DIR\}", folder),
    ]
    whole = place.sample("apache/bellwire.conf", *changes)
    # The modules that the sample names, besides those that Debian's Apache always has.
    named = re.search(r"a2enmod (.*)", whole).group(1).split()
    modules = os.path.dirname(program("apache2")) + "/../lib/apache2/modules"
    if not glob.glob(f"{modules}/mod_proxy.so"):
        modules = "/usr/lib/apache2/modules"
    always = "mpm_event authz_core setenvif socache_shmcb alias".split()
    load = "".join(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in always + named)
    if path:
        part = place.sample("apache/bellwire-subpath.conf", *changes)
        site = f'CustomLog {folder}/site.log "%r" env=!bellwire\nRedirectMatch 404 ^/(?!push/|_matrix/push)\n'
        whole = re.sub(r"    # An endpoint .*</Virtual", lambda _: f"{part}\n{site}</Virtual", whole, flags=re.S)
    file = place.write(
        "apache.conf",
        f"ServerRoot {folder}\nServerName localhost\nDefaultRuntimeDir {folder}\nPidFile {folder}/apache.pid\n"
        f"Listen 127.0.0.1:{place.port}\nErrorLog {folder}/error.log\nStartServers 1\n{load}"
        f'CustomLog {folder}/other.log "%r"\n{whole}',
    )
    return [program("apache2"), "-f", file, "-DFOREGROUND"]


def haproxy(place, path):
    bind = (r"bind :443", f"bind 127.0.0.1:{place.port}")
    whole = place.sample("haproxy/bellwire.cfg", bind)
    if path:
        part = place.sample("haproxy/bellwire-subpath.cfg")
        head = re.search(r"frontend bellwire\n.*?mode http\n", whole, flags=re.S).group()
        whole = (
            f"{head}log global\noption httplog\ntimeout client 1m\ndefault_backend site\n{part}\n"
            f'backend site\nmode http\nhttp-request return status 200 content-type text/plain string "{SITE}"\n'
        )
    # It logs to standard error, as everything here.
    file = place.write("haproxy.cfg", f"global\nlog stderr format raw daemon\n{whole}")
    return [program("haproxy"), "-db", "-f", file]


ALL = {"nginx": nginx, "caddy": caddy, "apache": apache, "haproxy": haproxy}


def proxy(arguments, folder):
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), folder)
    log = open(f"{folder}/proxy.log", "w")
    process = subprocess.Popen([*UNPRIVILEGED, *arguments], env=os.environ | homes, stdout=log, stderr=log)
    # HAProxy ends by the signal.
    return ended(process, 0, -15, 143)
