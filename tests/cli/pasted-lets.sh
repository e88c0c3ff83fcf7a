# Declarations that come in a row cost what each of them adds: 3000 that were each checked with
# all before them took minutes.
cd $tmp
awk 'BEGIN { for (i = 0; i < 3000; i++) print "let a" i " = " i " + " i "/2"
    print "a2999" }' >pasted
timeout 20 $imp repl <pasted
echo "status $?"
