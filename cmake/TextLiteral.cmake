# Writes the file INPUT as a C++ string literal to OUTPUT.
file(READ ${INPUT} Text)
file(WRITE ${OUTPUT} "R\"text(${Text})text\"\n")
