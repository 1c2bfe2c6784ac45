# Installs the browser for the tests of the explorer's page, where that is possible: as root on Debian. Without one,
# these tests are skipped.
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver && exit 0
fi
echo "no browser: the tests of the explorer's page are skipped; install chromium and chromium-driver to run them" >&2
